#pragma once

#include <cstdint>
#include <string_view>

#include <rtindex/column.hpp>

#include "base/array.hpp"

namespace rtindex {

// The memory of a column that owns its elements: one of a dictionary, or one that was converted.
struct ColumnView::Dictionary {
  Array<std::string_view> strings;  // one more than values, for nulls
  Array<std::uint32_t> positions;
  Array<std::uint64_t> elements;
  Array<std::uint8_t> validity;  // empty: no element is null
  ColumnView values;
};

}  // namespace rtindex
