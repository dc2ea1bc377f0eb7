#pragma once

#include <cstddef>
#include <cstdint>

#include "base/macros.hpp"
#include "keys/interval.hpp"
#include "keys/native_map.hpp"
#include "keys/string_hash.hpp"
#include "keys/string_map.hpp"
#include "keys/text_reader.hpp"

namespace rtindex {

// The mapping of strings and of keys of several parts to encoded keys, for host and device.

// How the strings of a column become codes: by a dictionary, or hashed.
struct StringEncoder {
  StringMap map{};
  StringHash hash;
  bool is_hashed = false;
  bool keeps_tails = false;  // strings that their codes do not tell apart are compared in full

  [[nodiscard]] RTINDEX_HD std::uint64_t encode(TextReader& text) const {
    return is_hashed ? hash(text, text.size()) : map.encode(text, text.size());
  }
  [[nodiscard]] RTINDEX_HD bool is_exact(std::uint64_t code) const {
    return !is_hashed && StringMap::is_exact(code);
  }
};

// The encoding of keys of several parts in 64 bits: the encoded keys of the parts side by side, the
// first in the highest bits, minus the base. What does not fit is compared in full, from the part
// `first_compared` on: it is the last one that is packed, maybe without its lowest bits.
struct PackedMap {
  static constexpr std::size_t max_parts = 16;
  struct Part {
    NativeMap map;  // of strings: their codes, minus the base
    int bits;
    int dropped = 0;  // low bits of the part's key that do not fit
    StringEncoder strings{};
  };

  Part parts[max_parts];
  std::size_t count = 0;
  std::size_t first_compared = max_parts;
  std::uint64_t base = 0;
  std::uint64_t span = 0;
  bool empty = false;
};

// Shifts that may be by 64.
[[nodiscard]] RTINDEX_HD inline std::uint64_t shift_left(std::uint64_t bits, int shift) {
  return shift >= 64 ? 0 : bits << shift;
}
[[nodiscard]] RTINDEX_HD inline std::uint64_t shift_right(std::uint64_t bits, int shift) {
  return shift >= 64 ? 0 : bits >> shift;
}

// Packed parts with the encoded key of one more behind them.
template <class Part>
[[nodiscard]] RTINDEX_HD inline std::uint64_t append_part(std::uint64_t key, const Part& part,
                                                          std::uint64_t own) {
  return shift_left(key, part.bits) | shift_right(own, part.dropped);
}

// The part of so many bits of a packed key, with so many bits behind it.
[[nodiscard]] RTINDEX_HD inline std::uint64_t extract_part(std::uint64_t key, int bits,
                                                           int behind) {
  return shift_right(key, behind) & (shift_left(1, bits) - 1);
}

// The last packed key whose parts so far are `key`.
[[nodiscard]] RTINDEX_HD inline std::uint64_t last_with(std::uint64_t key, int behind) {
  return shift_left(key, behind) | (shift_left(1, behind) - 1);
}

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
  return extract_part(key + map.base, map.parts[part].bits, behind) + map.parts[part].map.base;
}

// Tuples in one array for each part; fewer parts than the column has stand for all keys that begin
// with them, and none at all for an end that is left out.
struct PackedEnd {
  const void* parts[PackedMap::max_parts] = {};  // elements; of strings in Arrow's layout: offsets
  const char* bytes[PackedMap::max_parts] = {};  // of strings
  ElementType types[PackedMap::max_parts] = {};
  std::size_t count = 0;
  std::size_t size = 0;  // strings of the arrays
};

// The string at a place of a part.
[[nodiscard]] RTINDEX_HD inline std::uint64_t string_offset(const void* offsets, ElementType type,
                                                            std::size_t i) {
  return type.bytes == 4 ? static_cast<const std::uint32_t*>(offsets)[i]
                         : static_cast<const std::uint64_t*>(offsets)[i];
}
[[nodiscard]] RTINDEX_HD inline TextReader text_of(const PackedEnd& end, std::size_t part,
                                                   std::size_t i) {
  const void* const offsets = end.parts[part];
  const ElementType type = end.types[part];
  const std::uint64_t begin = string_offset(offsets, type, i);
  return {end.bytes[part] + begin, string_offset(offsets, type, i + 1) - begin,
          end.bytes[part] + string_offset(offsets, type, end.size)};
}

// The ends of a string with this code among those from the base to the span. Without tails, a
// string that is not told apart by its code lies between two keys.
[[nodiscard]] RTINDEX_HD inline EncodedEnds encode_code(std::uint64_t code, bool has_exact_code,
                                                        bool keeps_tails, std::uint64_t base,
                                                        std::uint64_t span) {
  const bool is_below = code < base;
  const bool is_exact = is_below || has_exact_code;
  const std::uint64_t offset = is_below ? 0 : code - base;
  const bool is_between = !is_exact && !keeps_tails;
  const bool check = !is_exact && keeps_tails && offset <= span;
  return {{offset + (is_between ? 1 : 0), offset > span || (offset == span && is_between), check},
          {offset < span ? offset : span, is_below, check}};
}

[[nodiscard]] RTINDEX_HD inline EncodedEnds encode_string(const PackedMap::Part& part,
                                                          TextReader text) {
  const std::uint64_t code = part.strings.encode(text);
  return encode_code(code, part.strings.is_exact(code), part.strings.keeps_tails, part.map.base,
                     part.map.span);
}

[[nodiscard]] RTINDEX_HD inline EncodedEnds encode_ends(const PackedMap& map, const PackedEnd& end,
                                                        std::size_t part, std::size_t i) {
  if (end.types[part].kind == ElementType::Kind::string)
    return encode_string(map.parts[part], text_of(end, part, i));
  return encode_ends(map.parts[part].map, end.parts[part], end.types[part], i);
}

// The packed key nearest to one end of a lookup that is inside. Where a part holds no value equal
// to the lookup's, the parts behind it no longer matter. `Map`: a PackedMap, or another struct of
// packed parts; ends_of(p): the EncodedEnds of part p of the lookup, which has `count`.
template <bool is_lower, class Map, class EndsOf>
[[nodiscard]] RTINDEX_HD inline Bound packed_end(const Map& map, std::size_t count,
                                                 EndsOf&& ends_of) {
  int behind = 0;
  for (std::size_t p = 0; p < map.count; ++p) behind += map.parts[p].bits;
  std::uint64_t key = 0;
  bool present = true;
  for (std::size_t p = 0; p < count && present; ++p) {
    const auto& part = map.parts[p];
    behind -= part.bits;
    const EncodedEnds both = ends_of(p);
    const Bound own = is_lower ? both.lower : both.upper;
    if (own.none) {
      // No value of this part is inside: on to the next combination of the parts before it.
      const int whole = part.bits + behind;
      const std::uint64_t start = shift_left(key, whole);
      const std::uint64_t next = is_lower ? start + shift_left(1, whole) : start - 1;
      return {next, is_lower ? whole >= 64 || next <= start : start == 0};
    }
    key = append_part(key, part, own.key);
    if (p == map.first_compared)
      return {key, false, own.check || part.dropped != 0 || count > p + 1};
    present = !both.lower.none && !both.upper.none && both.lower.key == both.upper.key;
  }
  return {is_lower ? shift_left(key, behind) : last_with(key, behind)};
}

// A packed key of one end of a lookup as an encoded key, from 0 to the span.
template <bool is_lower, class Map>
[[nodiscard]] RTINDEX_HD inline Bound encode_packed(const Map& map, Bound bound) {
  if constexpr (is_lower) {
    if (bound.none) return bound;
    if (bound.key < map.base) return {};
    bound.key -= map.base;
    bound.none = bound.key > map.span;
    return bound;
  } else {
    if (bound.none || bound.key < map.base) return {0, true};
    bound.key -= map.base;
    if (bound.key > map.span) return {map.span};
    return bound;
  }
}

template <bool is_lower>
[[nodiscard]] RTINDEX_HD inline Bound encode_end(const PackedMap& map, const PackedEnd& end,
                                                 std::size_t i) {
  const auto ends_of = [&](std::size_t p) { return encode_ends(map, end, p, i); };
  return encode_packed<is_lower>(map, packed_end<is_lower>(map, end.count, ends_of));
}

// Lookup i as an interval of encoded keys.
[[nodiscard]] RTINDEX_HD inline Interval encode_interval(const PackedMap& map,
                                                         const PackedEnd& lower,
                                                         const PackedEnd& upper, std::size_t i,
                                                         RangeEnds ends, std::uint8_t& checks) {
  checks = check_none;
  if (map.empty) return {1, 0};
  Bound low;
  if (lower.count != 0)
    low = ends.lower_open ? bound_above(encode_end<false>(map, lower, i), map.span)
                          : encode_end<true>(map, lower, i);
  if (low.none) return {1, 0};
  Bound high{map.span};
  if (upper.count != 0)
    high = ends.upper_open ? bound_below(encode_end<true>(map, upper, i), map.span)
                           : encode_end<false>(map, upper, i);
  return interval_between(low, high, checks);
}

// The same for a point of one part, which is encoded once.
[[nodiscard]] RTINDEX_HD inline Interval encode_point(const PackedMap& map, const PackedEnd& end,
                                                      std::size_t i, std::uint8_t& checks) {
  checks = check_none;
  if (map.empty) return {1, 0};
  const EncodedEnds own = encode_ends(map, end, 0, i);
  return interval_between(own.lower, own.upper, checks);
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
