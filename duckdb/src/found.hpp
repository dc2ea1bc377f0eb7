#pragma once

/// \file
/// What the calls of a chunk found, put together from several batches.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <rtindex/answer.hpp>

namespace rtindex::sql {

/// One answer for each row of a chunk. Only the wanted answer has elements.
struct Found {
  std::vector<std::uint32_t> first;
  std::vector<std::int64_t> count;
  std::vector<std::uint64_t> offsets{0};  ///< of each call in `rows`, and the end
  std::vector<std::uint32_t> rows;

  /// Appends one answer of a batch.
  void append(const Answers& answers, std::size_t call, Answer wanted) {
    if (wanted == Answer::first) {
      first.push_back(answers.first()[call]);
    } else if (wanted == Answer::count) {
      count.push_back(answers.count()[call]);
    } else {
      const auto found = answers.rows(call);
      rows.insert(rows.end(), found.begin(), found.end());
      offsets.push_back(rows.size());
    }
  }

  void append_miss(Answer wanted) {
    if (wanted == Answer::first) first.push_back(miss_row);
    if (wanted == Answer::count) count.push_back(0);
    if (wanted == Answer::rows) offsets.push_back(rows.size());
  }
};

}  // namespace rtindex::sql
