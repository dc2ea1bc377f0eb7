#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <rtindex/column.hpp>

namespace rtindex {

// The rows that a change names, in host memory.
[[nodiscard]] inline std::span<const std::uint32_t> row_ids(const ColumnView& rows) {
  return {static_cast<const std::uint32_t*>(rows.data()), rows.size()};
}

// What is wrong with a row that a change names.
[[noreturn]] void fail_unknown_row(std::uint32_t row, std::size_t rows);
[[noreturn]] void fail_repeated_row(std::uint32_t row);
[[noreturn]] void fail_erased_row(std::uint32_t row);

}  // namespace rtindex
