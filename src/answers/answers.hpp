#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rtindex/answer.hpp>

#include "answers/request.hpp"

namespace rtindex {

// Allocates the Answers of a batch and makes the Request that fills them.
class AnswersAccess {
 public:
  AnswersAccess(const AnswerOptions& options, std::size_t lookups)
      : AnswersAccess(options, options.values, lookups) {}
  // `values`: the value column of sum, mean, min and max; `has_nulls`: whether any may be null;
  // `rows`: of the index, for bitmaps.
  AnswersAccess(const AnswerOptions& options, const ColumnView& values, std::size_t lookups,
                bool has_nulls = false, std::size_t rows = 0);

  [[nodiscard]] Request& request() { return request_; }
  // After the request has run: joins the rowIDs of all chunks.
  [[nodiscard]] Answers finish();

  // Moves the rowIDs out of `answers`.
  [[nodiscard]] static std::vector<std::uint32_t> rows_of(Answers&& answers) {
    return std::move(answers.rows_);
  }

 private:
  Answers answers_;
  Request request_;
  std::vector<std::vector<std::uint32_t>> chunk_rows_;
  std::shared_ptr<const OwnedColumn> found_keys_;
};

// Collects the rowIDs of a request for buffers of the caller in host memory; finish() copies them
// there.
class RowsInto {
 public:
  RowsInto(Request& request, std::size_t lookups);
  void finish();

 private:
  Outputs outputs_;
  std::size_t lookups_;
  std::vector<std::vector<std::uint32_t>> chunks_;
};

}  // namespace rtindex
