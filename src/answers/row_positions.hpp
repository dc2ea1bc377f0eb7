#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/array.hpp"
#include "base/call_control.hpp"
#include "base/parallel.hpp"

namespace rtindex {

// The position of each row in a structure: a difference where its rows follow each other, a table
// by row where it holds many of the rows of the index, else a hash table.
class RowPositions {
 public:
  // Row first + i is at position i, of `size`.
  RowPositions(std::uint32_t first, std::size_t size) : first_(first), consecutive_(size) {}
  // Of positions 0..size-1, of an index of `row_count` rows.
  template <class Rows>
  RowPositions(std::size_t size, std::size_t row_count, const Rows& rows)
      : is_by_row_(size >= row_count / max_rows_per_key),
        table_(is_by_row_ ? row_count : 0),
        slots_(is_by_row_ ? 0 : std::bit_ceil(2 * size + 1)) {
    if (is_by_row_) {
      fill(table_, none);
      parallel_for(size, grain, [&](std::size_t first, std::size_t count) {
        // Atomic, because rows of a damaged file may be equal.
        for (std::size_t at = first; at < first + count; ++at)
          std::atomic_ref(table_[rows[at]])
              .store(static_cast<std::uint32_t>(at), std::memory_order_relaxed);
      });
      return;
    }
    fill(slots_, Slot{none, none});
    for (std::size_t at = 0; at < size; ++at)
      slots_[slot_of(rows[at])] = {rows[at], static_cast<std::uint32_t>(at)};
  }

  // None if the structure does not have the row.
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint32_t row) const {
    if (consecutive_ != 0)
      return row - first_ < consecutive_ ? std::optional(row - first_) : std::nullopt;
    const std::uint32_t at =
        is_by_row_ ? (row < table_.size() ? table_[row] : none) : slots_[slot_of(row)].position;
    return at == none ? std::nullopt : std::optional(at);
  }
  [[nodiscard]] std::size_t bytes() const { return table_.bytes() + slots_.bytes(); }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t max_rows_per_key = 8;  // with more, hashing needs less memory
  static constexpr std::size_t grain = std::size_t{1} << 15;

  struct Slot {
    std::uint32_t row;
    std::uint32_t position;
  };

  template <class T>
  static void fill(Array<T>& array, const T& value) {
    parallel_for(array.size(), grain, [&](std::size_t first, std::size_t count) {
      std::fill_n(array.data() + first, count, value);
    });
  }
  // The slot of a row, or the empty one that ends the search for it.
  [[nodiscard]] std::size_t slot_of(std::uint32_t row) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = (row * std::uint64_t{0x9e3779b97f4a7c15} >> 32) & mask;
    while (slots_[slot].row != row && slots_[slot].position != none) slot = (slot + 1) & mask;
    return slot;
  }

  bool is_by_row_ = true;
  std::uint32_t first_ = 0;
  std::size_t consecutive_ = 0;  // 0: the rows do not follow each other
  Array<std::uint32_t> table_;
  Array<Slot> slots_;
};

}  // namespace rtindex
