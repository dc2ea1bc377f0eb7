#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <rtindex/column.hpp>

namespace rtindex {

// Some of a column's rows: one of each stretch of them, at a pseudo-random position in it.
[[nodiscard]] inline std::vector<std::uint64_t> sample_rows(std::size_t size, std::size_t wanted) {
  constexpr std::uint64_t golden = 0x9E37'79B9'7F4A'7C15;
  std::vector<std::uint64_t> rows;
  const std::size_t stretch = size / wanted;
  for (std::size_t i = 0; i < wanted; ++i) {
    const auto first = static_cast<std::size_t>(static_cast<double>(i) * static_cast<double>(size) /
                                                static_cast<double>(wanted));
    const std::size_t row = first + ((i + 1) * golden >> 32) % stretch;
    if (row < size) rows.push_back(row);
  }
  return rows;
}

// How many strings show how long those of the column are.
[[nodiscard]] inline std::size_t few_strings(std::size_t column_size) {
  constexpr std::size_t few = 64;
  return std::min(few, column_size);
}

// How many strings a dictionary is made from, where few_strings() of the column have so many bytes.
[[nodiscard]] inline std::size_t strings_to_sample(std::size_t column_size, std::size_t few_bytes) {
  constexpr std::size_t max_strings = std::size_t{1} << 14;
  constexpr std::size_t max_bytes = std::size_t{1} << 25;  // about
  const std::size_t few = few_strings(column_size);
  const std::size_t fit = max_bytes / (few_bytes / few + 1);
  return std::min({column_size, max_strings, std::max(few, fit)});
}

[[nodiscard]] inline std::vector<std::string_view> sample_of(const ColumnView& column) {
  const auto sampled = [&](std::size_t wanted) {
    std::vector<std::string_view> sample;
    for (const std::uint64_t row : sample_rows(column.size(), wanted))
      if (column.valid(row)) sample.push_back(column.string(row));
    return sample;
  };
  if (column.size() == 0) return {};
  std::size_t bytes = 0;
  for (const std::string_view text : sampled(few_strings(column.size()))) bytes += text.size();
  return sampled(strings_to_sample(column.size(), bytes));
}

}  // namespace rtindex
