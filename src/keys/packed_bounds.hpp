#pragma once

#include <cstddef>
#include <cstdint>

#include "base/macros.hpp"
#include "keys/interval.hpp"
#include "keys/runtime_bounds.hpp"

namespace rtindex {

// The ends of composite lookups where the types are known only at run time: what CompositeCodec
// does, for device code.

// The encoding of composite keys whose parts are native and fit 64 bits: the encoded keys of the
// parts side by side, the first in the highest bits, minus the base.
struct PackedMap {
  static constexpr std::size_t most_parts = 8;
  struct Part {
    NativeMap map;
    int bits;
  };

  Part parts[most_parts];
  std::size_t count = 0;
  std::uint64_t base = 0;
  std::uint64_t span = 0;
  bool empty = false;
};

// A native column as a composite one of one part.
[[nodiscard]] inline PackedMap packed_map(const NativeMap& native) {
  PackedMap map;
  map.parts[map.count++] = {native, 64};
  map.span = native.span;
  map.empty = native.empty;
  return map;
}

// The ordered_bits() of a part of the key with this encoding.
[[nodiscard]] RTINDEX_HD inline std::uint64_t packed_place(const PackedMap& map, std::size_t part,
                                                           std::uint64_t key) {
  int behind = 0;
  for (std::size_t p = part + 1; p < map.count; ++p) behind += map.parts[p].bits;
  const int bits = map.parts[part].bits;
  const std::uint64_t own = behind >= 64 ? 0 : (key + map.base) >> behind;
  const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  return (own & mask) + map.parts[part].map.base;
}

// Tuples in one array for each part; fewer parts than the column has stand for all keys that begin
// with them, and none at all for an end that is left out.
struct PackedEnd {
  const void* parts[PackedMap::most_parts] = {};
  ElementType types[PackedMap::most_parts] = {};
  std::size_t count = 0;
};

// The packed key nearest to one end of a lookup that is inside; false where there is none. Where a
// part holds no value equal to the lookup's, the parts behind it no longer matter.
template <bool is_lower>
[[nodiscard]] RTINDEX_HD inline bool packed_end(const PackedMap& map, const PackedEnd& end,
                                                std::size_t i, std::uint64_t& key) {
  const auto shifted = [](std::uint64_t bits, int by) { return by >= 64 ? 0 : bits << by; };
  int behind = 0;
  for (std::size_t p = 0; p < map.count; ++p) behind += map.parts[p].bits;
  key = 0;
  bool present = true;
  for (std::size_t p = 0; p < end.count && present; ++p) {
    const PackedMap::Part& part = map.parts[p];
    behind -= part.bits;
    const EncodedEnds own = encode_ends(part.map, end.parts[p], end.types[p], i);
    if (!(is_lower ? own.has_lower : own.has_upper)) {
      // No value of this part is inside: on to the next combination of the parts before it.
      const int whole = part.bits + behind;
      const std::uint64_t start = shifted(key, whole);
      key = is_lower ? start + shifted(1, whole) : start - 1;
      return is_lower ? whole < 64 && key > start : start != 0;
    }
    key = shifted(key, part.bits) | (is_lower ? own.lower : own.upper);
    present = own.has_lower && own.has_upper && own.lower == own.upper;
  }
  key = shifted(key, behind) | (is_lower ? 0 : shifted(1, behind) - 1);
  return true;
}

// The same as encoded keys, from 0 to the span.
[[nodiscard]] RTINDEX_HD inline bool encode_packed_lower(const PackedMap& map, const PackedEnd& end,
                                                         std::size_t i, std::uint64_t& key) {
  if (!packed_end<true>(map, end, i, key)) return false;
  key = key < map.base ? 0 : key - map.base;
  return key <= map.span;
}
[[nodiscard]] RTINDEX_HD inline bool encode_packed_upper(const PackedMap& map, const PackedEnd& end,
                                                         std::size_t i, std::uint64_t& key) {
  if (!packed_end<false>(map, end, i, key) || key < map.base) return false;
  key -= map.base;
  if (key > map.span) key = map.span;
  return true;
}

// Lookup i as an interval of encoded keys. The keys after an open lower end are those after the
// last one that is not greater, and likewise before an open upper end.
[[nodiscard]] RTINDEX_HD inline Interval encode_interval(const PackedMap& map,
                                                         const PackedEnd& lower,
                                                         const PackedEnd& upper, std::size_t i,
                                                         RangeEnds ends) {
  if (map.empty) return {1, 0};
  Interval interval{0, map.span};
  std::uint64_t key = 0;
  if (lower.count != 0 && !ends.lower_open) {
    if (!encode_packed_lower(map, lower, i, interval.lower)) return {1, 0};
  } else if (lower.count != 0 && encode_packed_upper(map, lower, i, key)) {
    if (key == map.span) return {1, 0};
    interval.lower = key + 1;
  }
  if (upper.count != 0 && !ends.upper_open) {
    if (!encode_packed_upper(map, upper, i, interval.upper)) return {1, 0};
  } else if (upper.count != 0 && encode_packed_lower(map, upper, i, key)) {
    if (key == 0) return {1, 0};
    interval.upper = key - 1;
  }
  return interval.lower > interval.upper ? Interval{1, 0} : interval;
}

// Keys of two parts whose neighbours are wanted, the most common ones: integers of 4 or 8 bytes, of
// the types that the column's parts have. They are encoded in two steps, without a pass over the
// batch: the ordered_bits() of an element are the element with its sign bit flipped.
struct PairMap {
  struct Part {
    const void* elements = nullptr;
    std::uint32_t bytes = 0;
    std::uint64_t flip = 0;
    std::uint64_t base = 0;
    std::uint64_t span = 0;
  };

  Part first, second;
  int second_bits = 0;
  std::uint64_t base = 0;
  std::uint64_t span = 0;
};

// The range at whose edge the neighbour of a pair lies: the key that the search starts at and the
// other end, where it must stop. False where it is empty.
template <Edge edge>
[[nodiscard]] RTINDEX_HD inline bool encode_pair_edge(const PairMap& map, std::uint64_t first,
                                                      std::uint64_t second, bool open,
                                                      std::uint64_t& key, std::uint64_t& limit) {
  const std::uint64_t group = first - map.first.base;
  if (group > map.first.span) return false;
  const std::uint64_t mask =
      map.second_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << map.second_bits) - 1;
  const std::uint64_t start = map.second_bits >= 64 ? 0 : group << map.second_bits;
  const std::uint64_t smallest = start > map.base ? start - map.base : 0;
  if (smallest > map.span || (start | mask) < map.base) return false;
  std::uint64_t greatest = (start | mask) - map.base;
  if (greatest > map.span) greatest = map.span;
  if constexpr (edge == Edge::last) {
    if (open && second-- == 0) return false;
    if (second < map.second.base) return false;
    std::uint64_t own = second - map.second.base;
    if (own > map.second.span) own = map.second.span;
    const std::uint64_t packed = start | own;
    if (packed < map.base) return false;
    key = packed - map.base < greatest ? packed - map.base : greatest;
    limit = smallest;
  } else {
    if (open && ++second == 0) return false;
    const std::uint64_t own = second > map.second.base ? second - map.second.base : 0;
    if (own > map.second.span) return false;
    const std::uint64_t packed = start | own;
    key = packed < map.base ? 0 : packed - map.base;
    if (key > map.span) return false;
    limit = greatest;
  }
  return true;
}

}  // namespace rtindex
