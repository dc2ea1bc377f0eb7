#pragma once

#include <cstddef>
#include <string>

#include <rtindex/column.hpp>

namespace rtindex {

// An element as text: dates and times in ISO 8601.
[[nodiscard]] std::string key_text(const ColumnView& column, std::size_t row);

}  // namespace rtindex
