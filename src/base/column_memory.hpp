#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <rtindex/column.hpp>

namespace rtindex {

// The memory of a column that owns its elements: one of a dictionary, or one that was converted.
struct ColumnView::Dictionary {
  std::vector<std::string_view> strings;  // one more than values, for nulls
  std::vector<std::uint32_t> positions;
  std::vector<std::uint64_t> elements;  // 8-byte aligned
  std::vector<std::uint8_t> validity;   // empty: no element is null
  ColumnView values;
};

}  // namespace rtindex
