#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workload/column.hpp"

namespace rtindex::bench {

// New keys for some rows.
struct Swaps {
  PlacedArray<std::uint32_t> rows;
  KeyArray new_keys;
};

// The same in host memory, as `Index::update` takes them.
class HostSwaps {
 public:
  explicit HostSwaps(const Swaps& swaps);
  [[nodiscard]] const std::vector<std::uint32_t>& rows() const { return rows_; }
  [[nodiscard]] ColumnView new_keys() const {
    return ColumnView::of(bits_ == 32 ? Type::u32 : Type::u64, keys_.data(), rows_.size());
  }

 private:
  int bits_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::byte> keys_;
};

// What is swapped: the keys of neighbouring rows, or the rows of neighbouring keys (section 3.6).
enum class Neighbours : std::uint8_t { positions, keys };

// Swaps `pairs` pairs of a column, chosen at random, no row twice.
[[nodiscard]] Swaps random_swaps(const Column& column, std::size_t pairs, Neighbours neighbours,
                                 std::uint64_t seed);

// The column after the swaps. Values stay in their rows.
void apply(const Swaps& swaps, Column& column);

}  // namespace rtindex::bench
