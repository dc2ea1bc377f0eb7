#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <rtindex/column.hpp>

namespace rtindex {

// Some of a column's valid strings, or all of a small one: one of each stretch of rows, at a place
// in it that follows no pattern.
[[nodiscard]] inline std::vector<std::string_view> sample_of(const ColumnView& column) {
  constexpr std::size_t most = std::size_t{1} << 14;        // strings
  constexpr std::size_t most_bytes = std::size_t{1} << 25;  // about
  constexpr std::size_t first_few = 64;
  constexpr std::uint64_t golden = 0x9E37'79B9'7F4A'7C15;
  const auto take = [&](std::size_t wanted) {
    std::vector<std::string_view> sample;
    const std::size_t stretch = column.size() / wanted;
    for (std::size_t i = 0; i < wanted; ++i) {
      const auto first =
          static_cast<std::size_t>(static_cast<double>(i) * static_cast<double>(column.size()) /
                                   static_cast<double>(wanted));
      const std::size_t row = first + ((i + 1) * golden >> 32) % stretch;
      if (row < column.size() && column.valid(row)) sample.push_back(column.string(row));
    }
    return sample;
  };
  if (column.size() == 0) return {};
  std::size_t bytes = first_few;
  for (const std::string_view text : take(std::min(first_few, column.size()))) bytes += text.size();
  return take(
      std::min({column.size(), most, std::max(first_few, most_bytes / (bytes / first_few))}));
}

}  // namespace rtindex
