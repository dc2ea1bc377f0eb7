#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/array.hpp"

namespace rtindex {

// The rowIDs of the elements of a column: element i is row `first + i`, or the i-th of the rows that
// are listed.
class RowNumbers {
 public:
  RowNumbers() = default;
  explicit RowNumbers(std::uint32_t first) : first_(first) {}
  // Ascending.
  explicit RowNumbers(Array<std::uint32_t> rows) : listed_(true), rows_(std::move(rows)) {}

  // Whether element i is row i.
  [[nodiscard]] bool is_identity() const { return !listed_ && first_ == 0; }
  [[nodiscard]] std::uint32_t row(std::size_t element) const {
    return listed_ ? rows_[element] : first_ + static_cast<std::uint32_t>(element);
  }
  // The element of a row that is there. Any row of a damaged file gives some element.
  [[nodiscard]] std::size_t element(std::uint32_t row) const {
    if (!listed_) return row - first_;
    const auto* const found = std::lower_bound(rows_.begin(), rows_.end(), row);
    const auto element = static_cast<std::size_t>(found - rows_.begin());
    return std::min(element, rows_.size() - 1);
  }
  [[nodiscard]] std::size_t bytes() const { return rows_.bytes(); }

 private:
  std::uint32_t first_ = 0;
  bool listed_ = false;
  Array<std::uint32_t> rows_;
};

}  // namespace rtindex
