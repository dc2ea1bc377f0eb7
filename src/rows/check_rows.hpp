#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <rtindex/column.hpp>

#include "rows/row_bitmap.hpp"

namespace rtindex {

// The rows of a change, which are there, are named once and are not erased.
struct CheckedRows {
  RowBitmapPtr named;
  std::size_t nulls = 0;  // how many of them have a null key
};

// Bitmaps with the rows of a change added to them.
struct MarkedRows {
  std::vector<RowBitmapPtr> bitmaps;  // in the order of the input
  std::size_t nulls = 0;              // how many of the rows have a null key
};

// Throws where a row of a change in host memory is none of the `row_count`, is named twice or is
// erased.
[[nodiscard]] CheckedRows check_rows(std::span<const std::uint32_t> rows, std::size_t row_count,
                                     const RowBitmapPtr& erased, const RowBitmapPtr& nulls);

// A change of so few rows is checked without a bitmap of them.
inline constexpr std::size_t few_changed_rows = 16;
// Checks at most that many rows in the same way; returns how many of them have a null key.
[[nodiscard]] std::size_t check_few_rows(std::span<const std::uint32_t> rows, std::size_t row_count,
                                         const RowBitmapPtr& erased, const RowBitmapPtr& nulls);

// Rows of a change in any type of integers as uint32: those of another type are copied to `copied`.
// Throws for a row that no index has. Rows in device memory must be uint32.
[[nodiscard]] ColumnView as_row_ids(const ColumnView& rows, std::vector<std::uint32_t>& copied);

// The elements of a uint32 column in host memory.
[[nodiscard]] inline std::span<const std::uint32_t> row_ids(const ColumnView& rows) {
  return {static_cast<const std::uint32_t*>(rows.data()), rows.size()};
}

}  // namespace rtindex
