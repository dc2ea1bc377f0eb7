#pragma once

#include <cstdint>

#include "base/macros.hpp"

namespace rtindex {

// A lookup in terms of encoded keys: both ends included, empty where lower > upper.
struct Interval {
  std::uint64_t lower;
  std::uint64_t upper;

  [[nodiscard]] RTINDEX_HD constexpr bool empty() const { return lower > upper; }
  [[nodiscard]] RTINDEX_HD constexpr bool contains(std::uint64_t key) const {
    return lower <= key && key <= upper;
  }
};

inline constexpr Interval empty_interval{1, 0};

// At an end of an interval the encoded key may stand for several full keys (long strings, wide
// composites). These flags say at which ends a hit must be compared in full.
enum Check : std::uint8_t { check_none = 0, check_lower = 1, check_upper = 2 };

}  // namespace rtindex
