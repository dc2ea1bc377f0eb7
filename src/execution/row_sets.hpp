#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <rtindex/column.hpp>

#include "storage/row_marks.hpp"

namespace rtindex {

// A set of rows in host memory.
class HostMarks final : public RowMarks {
 public:
  HostMarks(Array<std::uint32_t> words, std::size_t rows);
  [[nodiscard]] Array<std::uint32_t> words() const override;

 private:
  Array<std::uint32_t> words_;
};

// Collects such a set; many threads may add to it at once.
class MarkedRows {
 public:
  explicit MarkedRows(std::size_t rows);
  // False where the row is there already.
  bool add(std::uint32_t row);
  [[nodiscard]] RowBits bits() const { return {words_.data(), rows_}; }
  // The set; null where it is empty.
  [[nodiscard]] Marks finish() &&;

 private:
  Array<std::uint32_t> words_;
  std::size_t rows_;
};

// The rows that a change names, in host memory.
[[nodiscard]] inline std::span<const std::uint32_t> row_ids(const ColumnView& rows) {
  return {static_cast<const std::uint32_t*>(rows.data()), rows.size()};
}

// What is wrong with a row that a change names.
[[noreturn]] void fail_unknown_row(std::uint32_t row, std::size_t rows);
[[noreturn]] void fail_repeated_row(std::uint32_t row);
[[noreturn]] void fail_erased_row(std::uint32_t row);

}  // namespace rtindex
