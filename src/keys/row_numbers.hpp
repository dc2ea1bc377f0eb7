#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/array.hpp"

namespace rtindex {

// The rowIDs of the elements of a column: element i is row `first + i`, or listed.
class RowNumbers {
 public:
  RowNumbers() = default;
  RowNumbers(std::uint32_t first, std::size_t size) : first_(first), size_(size) {}
  // Ascending.
  explicit RowNumbers(Array<std::uint32_t> rows)
      : size_(rows.size()), listed_(true), rows_(std::move(rows)) {}

  // Whether element i is row i.
  [[nodiscard]] bool is_identity() const { return !listed_ && first_ == 0; }
  [[nodiscard]] std::uint32_t first() const { return first_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool listed() const { return listed_; }
  [[nodiscard]] std::span<const std::uint32_t> list() const { return rows_.span(); }
  [[nodiscard]] std::uint32_t row(std::size_t element) const {
    return listed_ ? rows_[element] : first_ + static_cast<std::uint32_t>(element);
  }
  // The element of a row that exists; a row of a damaged file gets some element.
  [[nodiscard]] std::size_t element(std::uint32_t row) const {
    const std::uint32_t* const begin = rows_.data();
    const std::size_t element =
        listed_ ? static_cast<std::size_t>(std::lower_bound(begin, begin + size_, row) - begin)
                : row - first_;
    return std::min(element, size_ - 1);
  }

 private:
  std::uint32_t first_ = 0;
  std::size_t size_ = 0;
  bool listed_ = false;
  Array<std::uint32_t> rows_;
};

}  // namespace rtindex
