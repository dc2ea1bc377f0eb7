#pragma once

#include <cstddef>

#include <rtindex/column.hpp>

namespace rtindex {

// Throws where a column cannot be the values of a column with so many rows.
void require_values(const ColumnView& values, std::size_t rows);

}  // namespace rtindex
