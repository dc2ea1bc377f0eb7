#pragma once

#include <cstdint>
#include <limits>

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

// Which ends of the ranges of a batch belong to them. An end whose column is not given is left out:
// such a range reaches as far as there are keys.
struct RangeEnds {
  bool lower_open = false;
  bool upper_open = false;
  bool null_upper_is_none = false;  // a null upper end is left out too, instead of matching nothing

  [[nodiscard]] constexpr bool any_open() const { return lower_open || upper_open; }
};

// One end of the rows of a range, in the order of their keys and, where these are equal, of the
// rows themselves.
enum class Edge : std::uint8_t { first, last };

// Encoded keys take 4 bytes each where the largest of them fits, else 8: uint32_t or uint64_t.
[[nodiscard]] RTINDEX_HD constexpr bool is_wide(std::uint64_t largest) {
  return largest > std::numeric_limits<std::uint32_t>::max();
}

// Calls work(Key{}) with the type of the keys.
template <class Work>
decltype(auto) with_key_type(bool wide, Work&& work) {
  return wide ? work(std::uint64_t{}) : work(std::uint32_t{});
}

// A lookup in the type of the keys, as GPUs take it.
template <class Key>
struct KeyInterval {
  Key lower, upper;
};

// At an end of an interval several full keys may have the same encoded key (long strings, wide
// composites). These flags say at which ends a hit must be compared in full.
enum Check : std::uint8_t { check_none = 0, check_lower = 1, check_upper = 2 };

}  // namespace rtindex
