#pragma once

#include <cstddef>
#include <cstdint>

#include "keys/interval.hpp"

namespace rtindex::cuda {

// What a batch of box queries requires of the encoded keys of a column: those of `all`, and of the
// query's own interval, and of the set, where there are some.
struct DeviceBoxSide {
  Interval all{0, ~std::uint64_t{0}};
  const KeyInterval<std::uint64_t>* own = nullptr;  // by query
  const KeyInterval<std::uint64_t>* set = nullptr;  // ascending and disjoint
  std::uint32_t set_size = 0;
  std::uint32_t column = 0;
};

// A batch of box queries in device memory; passed to kernels by value. Columns without a condition
// have no side.
struct DeviceBoxes {
  static constexpr std::uint32_t max_sides = 8;

  DeviceBoxSide sides[max_sides];
  std::uint32_t count = 0;  // of the sides
  bool is_empty = false;    // no row matches any query

  // The queries from number `begin` on.
  [[nodiscard]] DeviceBoxes from(std::size_t begin) const {
    DeviceBoxes rest = *this;
    for (std::uint32_t i = 0; i < count; ++i)
      if (rest.sides[i].own != nullptr) rest.sides[i].own += begin;
    return rest;
  }
};

}  // namespace rtindex::cuda
