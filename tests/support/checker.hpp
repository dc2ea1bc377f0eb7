#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rtindex/answer.hpp>

#include "support/oracle.hpp"

namespace rtindex::test {

// Answers as plain data, so that a test can also write wrong ones.
struct PlainAnswers {
  std::size_t size = 0;
  std::optional<std::vector<std::uint32_t>> any, first, last, count;
  std::optional<Aggregates> sum, min, max;
  std::optional<std::vector<double>> mean;
  std::optional<std::vector<std::uint64_t>> offsets;
  std::vector<std::uint32_t> rows;
  std::optional<std::vector<std::uint8_t>> matched;
  std::optional<std::vector<std::uint32_t>> bitmap;  // the rows that are set
  std::optional<Matches> bitmaps;
};

// The rows that are set in a bitmap.
[[nodiscard]] std::vector<std::uint32_t> rows_of(const BitmapView& bitmap);

[[nodiscard]] PlainAnswers plain_answers(const Answers& answers, const AnswerOptions& options);

// A sum of floats may differ from the exact sum of n values by this share of the sum of their
// absolute values, because the order of the additions is unspecified. All other answers are exact.
inline constexpr double sum_tolerance = 1e-12;

// Compares answers with those that follow from the matches: "" where they agree, else a description
// of the first difference. `values` is the value column of the call.
[[nodiscard]] std::string first_difference(const PlainAnswers& found, const AnswerOptions& options,
                                           const Batch& batch, const Matches& matches,
                                           const TestColumn& values);

}  // namespace rtindex::test
