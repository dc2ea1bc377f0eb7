#pragma once

#include <cstddef>
#include <cstdint>

#include "base/macros.hpp"
#include "keys/bits_128.hpp"
#include "keys/interval.hpp"
#include "keys/native_map.hpp"
#include "keys/string_hash.hpp"
#include "keys/string_map.hpp"
#include "keys/text_reader.hpp"

namespace rtindex {

// The mapping of strings, of keys of 128 bits and of composite keys to encoded keys, for host and
// device.

// Strings become codes by a dictionary, or by a hash.
struct StringEncoder {
  StringMap map{};
  StringHash hash;
  bool is_hashed = false;
  bool keeps_tails = false;  // strings that share a code are compared in full

  [[nodiscard]] RTINDEX_HD std::uint64_t encode(TextReader& text) const {
    return is_hashed ? hash(text, text.size()) : map.encode(text, text.size());
  }
  [[nodiscard]] RTINDEX_HD bool is_exact(std::uint64_t code) const {
    return !is_hashed && StringMap::is_exact(code);
  }
};

// The encoding of composite keys in 64 bits: the encoded keys of the fields side by side, the first
// in the highest bits, minus the base. What does not fit is compared in full, from the field
// `first_compared` on: it is the last one that is packed, maybe without its lowest bits.
struct PackedMap {
  static constexpr std::size_t max_fields = 16;
  struct Field {
    NativeMap map;  // of strings: their codes, minus the base
    int bits;
    int dropped = 0;  // low bits of the field's key that do not fit
    StringEncoder strings{};
    Map128 map_128{};  // of keys of 128 bits
  };

  Field fields[max_fields];
  std::size_t count = 0;
  std::size_t first_compared = max_fields;
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

template <class Field>
[[nodiscard]] RTINDEX_HD inline std::uint64_t append_field(std::uint64_t key, const Field& field,
                                                           std::uint64_t own) {
  return shift_left(key, field.bits) | shift_right(own, field.dropped);
}

// `behind`: the bits of the fields behind this one.
[[nodiscard]] RTINDEX_HD inline std::uint64_t extract_field(std::uint64_t key, int bits,
                                                            int behind) {
  return shift_right(key, behind) & (shift_left(1, bits) - 1);
}

// The last packed key that begins with the fields in `key`.
[[nodiscard]] RTINDEX_HD inline std::uint64_t last_with(std::uint64_t key, int behind) {
  return shift_left(key, behind) | (shift_left(1, behind) - 1);
}

// A native column as a composite one of one field.
[[nodiscard]] inline PackedMap packed_map(const NativeMap& native) {
  PackedMap map;
  map.fields[map.count++] = {native, 64};
  map.span = native.span;
  map.empty = native.empty;
  return map;
}

// The ordered_bits() of a field of an encoded key.
[[nodiscard]] RTINDEX_HD inline std::uint64_t field_bits(const PackedMap& map, std::size_t field,
                                                         std::uint64_t key) {
  int behind = 0;
  for (std::size_t p = field + 1; p < map.count; ++p) behind += map.fields[p].bits;
  return extract_field(key + map.base, map.fields[field].bits, behind) + map.fields[field].map.base;
}

// One end of lookups, in one array for each field. Fewer fields than the column has stand for all
// keys that begin with them, none for an unset end.
struct PackedEnd {
  const void* fields[PackedMap::max_fields] = {};  // elements; of strings: Arrow's offsets
  const char* bytes[PackedMap::max_fields] = {};   // of strings
  ElementType types[PackedMap::max_fields] = {};
  std::size_t count = 0;
  std::size_t size = 0;  // strings of the arrays
};

[[nodiscard]] RTINDEX_HD inline std::uint64_t string_offset(const void* offsets, ElementType type,
                                                            std::size_t i) {
  return type.bytes == 4 ? static_cast<const std::uint32_t*>(offsets)[i]
                         : static_cast<const std::uint64_t*>(offsets)[i];
}
[[nodiscard]] RTINDEX_HD inline TextReader text_of(const PackedEnd& end, std::size_t field,
                                                   std::size_t i) {
  const void* const offsets = end.fields[field];
  const ElementType type = end.types[field];
  const std::uint64_t begin = string_offset(offsets, type, i);
  return {end.bytes[field] + begin, string_offset(offsets, type, i + 1) - begin,
          end.bytes[field] + string_offset(offsets, type, end.size)};
}

// The ends of a string with this code, where the codes of the column are `base` to `base + span`.
// Without tails, a string whose code is not exact lies between two keys.
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

[[nodiscard]] RTINDEX_HD inline EncodedEnds encode_ends(const PackedMap& map, const PackedEnd& end,
                                                        std::size_t field, std::size_t i) {
  const PackedMap::Field& own = map.fields[field];
  const ElementType type = end.types[field];
  if (own.map.column.bytes == sizeof(Bits128))
    return encode_ends(own.map_128, own.map.span,
                       ordered_bits_128(end.fields[field], type, i, own.map.column));
  if (type.kind != ElementType::Kind::string)
    return encode_ends(own.map, end.fields[field], type, i);
  TextReader text = text_of(end, field, i);
  const std::uint64_t code = own.strings.encode(text);
  return encode_code(code, own.strings.is_exact(code), own.strings.keeps_tails, own.map.base,
                     own.map.span);
}

// The packed key nearest to one end of a lookup that is inside. Where a field has no value equal to
// the lookup's, the fields behind it no longer matter. `Map`: a PackedMap, or another struct of
// fields; ends_of(p): the EncodedEnds of field p of the lookup, which has `count`.
template <bool is_lower, class Map, class EndsOf>
[[nodiscard]] RTINDEX_HD inline Bound packed_end(const Map& map, std::size_t count,
                                                 EndsOf&& ends_of) {
  int behind = 0;
  for (std::size_t p = 0; p < map.count; ++p) behind += map.fields[p].bits;
  std::uint64_t key = 0;
  bool present = true;
  for (std::size_t p = 0; p < count && present; ++p) {
    const auto& field = map.fields[p];
    behind -= field.bits;
    const EncodedEnds both = ends_of(p);
    const Bound own = is_lower ? both.lower : both.upper;
    if (own.none) {
      // No value of this field is inside: on to the next combination of the fields before it.
      const int whole = field.bits + behind;
      const std::uint64_t start = shift_left(key, whole);
      const std::uint64_t next = is_lower ? start + shift_left(1, whole) : start - 1;
      return {next, is_lower ? whole >= 64 || next <= start : start == 0};
    }
    key = append_field(key, field, own.key);
    if (p == map.first_compared)
      return {key, false, own.check || field.dropped != 0 || count > p + 1};
    present = !both.lower.none && !both.upper.none && both.lower.key == both.upper.key;
  }
  return {is_lower ? shift_left(key, behind) : last_with(key, behind)};
}

// `Map`: has a base and a span.
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

// A point of one field is encoded once.
[[nodiscard]] RTINDEX_HD inline Interval encode_point(const PackedMap& map, const PackedEnd& end,
                                                      std::size_t i, std::uint8_t& checks) {
  checks = check_none;
  if (map.empty) return {1, 0};
  const EncodedEnds own = encode_ends(map, end, 0, i);
  return interval_between(own.lower, own.upper, checks);
}

// The most common keys whose neighbours are requested: two integers of 4 or 8 bytes, of the types
// of the column's fields. Kernels encode them in two steps, without a pass over the batch: the
// ordered_bits() of an element are the element with its sign bit flipped.
struct PairMap {
  struct Field {
    const void* elements = nullptr;
    std::uint32_t bytes = 0;
    std::uint64_t flip = 0;
    std::uint64_t base = 0;
    std::uint64_t span = 0;
  };

  Field first, second;
  int second_bits = 0;
  std::uint64_t base = 0;
  std::uint64_t span = 0;
};

// The range at whose edge the neighbour of a pair lies: the key that the search starts at, and the
// limit where it stops. False where the range is empty.
template <Edge edge>
[[nodiscard]] RTINDEX_HD inline bool encode_pair_edge(const PairMap& map, std::uint64_t first,
                                                      std::uint64_t second, bool open,
                                                      std::uint64_t& key, std::uint64_t& limit) {
  std::uint64_t group = 0;
  if (!encode_bits(map.first.base, map.first.span, first, group)) return false;
  const std::uint64_t start = shift_left(group, map.second_bits);
  const std::uint64_t end = last_with(group, map.second_bits);
  std::uint64_t smallest = 0;
  std::uint64_t greatest = 0;
  if (!encode_edge<Edge::first>(map.base, map.span, start, false, smallest) ||
      !encode_edge<Edge::last>(map.base, map.span, end, false, greatest))
    return false;
  std::uint64_t own = 0;
  if (!encode_edge<edge>(map.second.base, map.second.span, second, open, own)) return false;
  limit = edge == Edge::last ? smallest : greatest;
  const std::uint64_t span = edge == Edge::last ? greatest : map.span;
  return encode_edge<edge>(map.base, span, start | own, false, key);
}

}  // namespace rtindex
