#pragma once

#include <cstddef>
#include <cstdint>

#include <rtindex/index.hpp>

#include "workload/column.hpp"

namespace rtindex::bench {

// New keys for some rows, in the place of the column.
struct Swaps {
  PlacedArray<std::uint32_t> rows;
  KeyArray new_keys;
};

// What is swapped: the keys of neighbouring rows, or the rows of neighbouring keys (section 3.6).
enum class Neighbours : std::uint8_t { positions, keys };

// Swaps `pairs` pairs of a column, chosen at random, no row twice.
[[nodiscard]] Swaps random_swaps(const Column& column, std::size_t pairs, Neighbours neighbours,
                                 std::uint64_t seed);

// The index after the swaps.
inline void apply(const Swaps& swaps, Index& index) {
  index.update(view_of(swaps.rows), swaps.new_keys.view());
}

// The column after the swaps. Values stay in their rows.
void apply(const Swaps& swaps, Column& column);

}  // namespace rtindex::bench
