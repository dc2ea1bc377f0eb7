#pragma once

#include <cstddef>

#include <rtindex/answer.hpp>

#include "answers/request.hpp"

namespace rtindex {

// Makes the Answers of a batch: buffers for what is asked, filled through a Request.
class AnswersAccess {
 public:
  AnswersAccess(const LookupOptions& options, std::size_t lookups);

  [[nodiscard]] Request& request() { return request_; }
  // Puts the rowIDs of all chunks together; the last step.
  [[nodiscard]] Answers finish();

 private:
  Answers answers_;
  Request request_;
  std::vector<std::vector<std::uint32_t>> chunk_rows_;
};

// The rowIDs of a request for buffers in host memory: collected while it runs, put into place at
// the end.
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
