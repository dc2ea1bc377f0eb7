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

// Which ends of the ranges of a batch belong to them. A range without a column for one end is
// unlimited at that end.
struct RangeEnds {
  bool lower_open = false;
  bool upper_open = false;
  bool null_upper_is_none = false;  // a null upper end is unset, instead of matching nothing

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

// An Interval in the type of the keys, for GPUs.
template <class Key>
struct KeyInterval {
  Key lower, upper;
};

// At an end of an interval several full keys may have the same encoded key (long strings, wide
// composites). These flags say at which ends a hit must be compared in full.
enum Check : std::uint8_t { check_none = 0, check_lower = 1, check_upper = 2 };

// One end of a lookup among the encoded keys.
struct Bound {
  std::uint64_t key = 0;
  bool none = false;   // a lower end above every key of the column, an upper end below every one
  bool check = false;  // rows with exactly this encoded key must be compared in full
};

// A lookup as both ends of a closed range: the first key that is not less than it, and the last key
// that is not greater.
struct EncodedEnds {
  Bound lower, upper;
};

// The first key of a column that is greater than a lookup: the one after the last that is not.
[[nodiscard]] RTINDEX_HD inline Bound bound_above(Bound last, std::uint64_t span) {
  if (last.none) return {};
  if (last.check) return last;
  return {last.key + 1, last.key >= span};
}

// The last key that is less than a lookup: the one before the first that is not.
[[nodiscard]] RTINDEX_HD inline Bound bound_below(Bound first, std::uint64_t span) {
  if (first.none) return {span};
  if (first.check) return first;
  return {first.key - 1, first.key == 0};
}

[[nodiscard]] RTINDEX_HD inline Interval interval_between(Bound low, Bound high,
                                                          std::uint8_t& checks) {
  checks = check_none;
  if (low.none || high.none || low.key > high.key) return {1, 0};
  checks = static_cast<std::uint8_t>((low.check ? check_lower : check_none) |
                                     (high.check ? check_upper : check_none));
  return {low.key, high.key};
}

}  // namespace rtindex
