#pragma once

#include <cstdint>
#include <span>

#include "base/array.hpp"
#include "keys/encoded_column.hpp"

namespace rtindex {

// The elements of some points in an order that keeps neighbours in all columns together: that of
// Morton codes, whose bits are ranks among the values of each column. Ranks come from a sample, so
// that skewed and correlated columns stay balanced.
[[nodiscard]] Array<std::uint32_t> order_of_points(std::span<const PackedKeys> columns);

}  // namespace rtindex
