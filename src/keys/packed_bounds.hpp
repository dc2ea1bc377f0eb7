#pragma once

#include <cstddef>
#include <cstdint>

#include "base/macros.hpp"
#include "keys/interval.hpp"
#include "keys/runtime_bounds.hpp"
#include "keys/string_hash.hpp"
#include "keys/string_map.hpp"
#include "keys/text_reader.hpp"

namespace rtindex {

// The ends of lookups of several parts where the types are known only at run time: what
// CompositeCodec and the codecs of strings do, for device code.

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

// What encode_ends() does for native elements: without tails, a string that is not told apart by
// its code lies between two keys.
[[nodiscard]] RTINDEX_HD inline EncodedEnds encode_string(const PackedMap::Part& part,
                                                          TextReader text) {
  const NativeMap& map = part.map;
  const std::uint64_t code = part.strings.encode(text);
  const bool is_below = code < map.base;
  const bool is_exact = is_below || part.strings.is_exact(code);
  const std::uint64_t offset = is_below ? 0 : code - map.base;
  const bool is_between = !is_exact && !part.strings.keeps_tails;
  EncodedEnds ends{};
  ends.lower = offset + (is_between ? 1 : 0);
  ends.has_lower = offset < map.span || (offset == map.span && !is_between);
  ends.upper = offset < map.span ? offset : map.span;
  ends.has_upper = !is_below;
  ends.check = !is_exact && part.strings.keeps_tails && offset <= map.span;
  return ends;
}

[[nodiscard]] RTINDEX_HD inline EncodedEnds encode_ends(const PackedMap& map, const PackedEnd& end,
                                                        std::size_t part, std::size_t i) {
  if (end.types[part].kind == ElementType::Kind::string)
    return encode_string(map.parts[part], text_of(end, part, i));
  return encode_ends(map.parts[part].map, end.parts[part], end.types[part], i);
}

// One end of a lookup among the encoded keys, as Bound.
struct PackedBound {
  std::uint64_t key = 0;
  bool none = false;
  bool check = false;
};

// The packed key nearest to one end of a lookup that is inside. Where a part holds no value equal
// to the lookup's, the parts behind it no longer matter.
template <bool is_lower>
[[nodiscard]] RTINDEX_HD inline PackedBound packed_end(const PackedMap& map, const PackedEnd& end,
                                                       std::size_t i) {
  const auto shifted = [](std::uint64_t bits, int by) { return by >= 64 ? 0 : bits << by; };
  int behind = 0;
  for (std::size_t p = 0; p < map.count; ++p) behind += map.parts[p].bits;
  std::uint64_t key = 0;
  bool present = true;
  for (std::size_t p = 0; p < end.count && present; ++p) {
    const PackedMap::Part& part = map.parts[p];
    behind -= part.bits;
    const EncodedEnds own = encode_ends(map, end, p, i);
    if (!(is_lower ? own.has_lower : own.has_upper)) {
      // No value of this part is inside: on to the next combination of the parts before it.
      const int whole = part.bits + behind;
      const std::uint64_t start = shifted(key, whole);
      const std::uint64_t next = is_lower ? start + shifted(1, whole) : start - 1;
      return {next, is_lower ? whole >= 64 || next <= start : start == 0};
    }
    const std::uint64_t kept = is_lower ? own.lower : own.upper;
    key = shifted(key, part.bits) | (part.dropped >= 64 ? 0 : kept >> part.dropped);
    if (p == map.first_compared)
      return {key, false, own.check || part.dropped != 0 || end.count > p + 1};
    present = own.has_lower && own.has_upper && own.lower == own.upper;
  }
  return {shifted(key, behind) | (is_lower ? 0 : shifted(1, behind) - 1)};
}

// The same as encoded keys, from 0 to the span.
[[nodiscard]] RTINDEX_HD inline PackedBound encode_packed_lower(const PackedMap& map,
                                                                const PackedEnd& end,
                                                                std::size_t i) {
  PackedBound bound = packed_end<true>(map, end, i);
  if (bound.none) return bound;
  if (bound.key < map.base) return {};
  bound.key -= map.base;
  bound.none = bound.key > map.span;
  return bound;
}
[[nodiscard]] RTINDEX_HD inline PackedBound encode_packed_upper(const PackedMap& map,
                                                                const PackedEnd& end,
                                                                std::size_t i) {
  PackedBound bound = packed_end<false>(map, end, i);
  if (bound.none || bound.key < map.base) return {0, true};
  bound.key -= map.base;
  if (bound.key > map.span) return {map.span};
  return bound;
}

// Lookup i as an interval of encoded keys. The keys after an open lower end are those after the
// last one that is not greater, and likewise before an open upper end.
[[nodiscard]] RTINDEX_HD inline Interval encode_interval(const PackedMap& map,
                                                         const PackedEnd& lower,
                                                         const PackedEnd& upper, std::size_t i,
                                                         RangeEnds ends, std::uint8_t& checks) {
  checks = check_none;
  if (map.empty) return {1, 0};
  PackedBound low;
  if (lower.count != 0 && !ends.lower_open) {
    low = encode_packed_lower(map, lower, i);
  } else if (lower.count != 0) {
    low = encode_packed_upper(map, lower, i);
    if (low.none)
      low = {};
    else if (!low.check)
      low = {low.key + 1, low.key >= map.span};
  }
  if (low.none) return {1, 0};
  PackedBound high{map.span};
  if (upper.count != 0 && !ends.upper_open) {
    high = encode_packed_upper(map, upper, i);
  } else if (upper.count != 0) {
    high = encode_packed_lower(map, upper, i);
    if (high.none)
      high = {map.span};
    else if (!high.check)
      high = {high.key - 1, high.key == 0};
  }
  if (high.none || low.key > high.key) return {1, 0};
  checks = static_cast<std::uint8_t>((low.check ? check_lower : check_none) |
                                     (high.check ? check_upper : check_none));
  return {low.key, high.key};
}

// The same for a point of one part, which is encoded once.
[[nodiscard]] RTINDEX_HD inline Interval encode_point(const PackedMap& map, const PackedEnd& end,
                                                      std::size_t i, std::uint8_t& checks) {
  checks = check_none;
  if (map.empty) return {1, 0};
  const EncodedEnds own = encode_ends(map, end, 0, i);
  if (!own.has_lower || !own.has_upper || own.lower != own.upper) return {1, 0};
  if (own.check) checks = check_lower | check_upper;
  return {own.lower, own.upper};
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
