#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/array.hpp"
#include "keys/encoded_column.hpp"

namespace rtindex {

// The elements of some points in an order that keeps neighbours in all columns together, in blocks
// of `block` elements: that of Morton codes, whose bits are ranks among the values of each column,
// and within parts of it that of a k-d tree. Ranks come from a sample, so that skewed and
// correlated columns stay balanced.
[[nodiscard]] Array<std::uint32_t> order_of_points(std::span<const PackedKeys> columns,
                                                   std::size_t block);

}  // namespace rtindex
