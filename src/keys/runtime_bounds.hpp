#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "base/macros.hpp"
#include "keys/interval.hpp"
#include "keys/ordered_bits.hpp"

namespace rtindex {

// The ends of lookups against a native column where both types are known only at run time: what
// NativeCodec does by templates, in one function for device code. The types are comparable.

// How the elements of a native column lie in memory and on the line of their ordered_bits(). Of
// strings the bytes are those of an offset.
struct ElementType {
  enum class Kind : std::uint8_t { boolean, unsigned_int, signed_int, real, string } kind;
  std::uint8_t bytes;
};

[[nodiscard]] RTINDEX_HD constexpr ElementType element_type(Type type) {
  using Kind = ElementType::Kind;
  switch (type) {
    case Type::boolean: return {Kind::boolean, 1};
    case Type::u8: return {Kind::unsigned_int, 1};
    case Type::u16: return {Kind::unsigned_int, 2};
    case Type::u32: return {Kind::unsigned_int, 4};
    case Type::i8: return {Kind::signed_int, 1};
    case Type::i16: return {Kind::signed_int, 2};
    case Type::i32:
    case Type::date32: return {Kind::signed_int, 4};
    case Type::i64:
    case Type::timestamp64: return {Kind::signed_int, 8};
    case Type::f32: return {Kind::real, 4};
    case Type::f64: return {Kind::real, 8};
    default: return {Kind::unsigned_int, 8};
  }
}

// Strings whose offsets have so many bytes.
[[nodiscard]] constexpr ElementType string_elements(std::size_t offset_bytes) {
  return {ElementType::Kind::string, static_cast<std::uint8_t>(offset_bytes)};
}

// A place on the line of a column type's ordered_bits(): on it, or beyond one of its ends.
struct LinePlace {
  enum class Where : std::uint8_t { below, on, above } where;
  std::uint64_t bits;
};

// An integer of up to 64 bits, signed or not.
struct AnyInteger {
  bool negative;
  std::uint64_t bits;  // two's complement
};

[[nodiscard]] RTINDEX_HD inline AnyInteger load_integer(const void* elements, std::size_t i,
                                                        ElementType type) {
  using Kind = ElementType::Kind;
  std::uint64_t bits = 0;
  switch (type.bytes) {
    case 1: bits = static_cast<const std::uint8_t*>(elements)[i]; break;
    case 2: bits = static_cast<const std::uint16_t*>(elements)[i]; break;
    case 4: bits = static_cast<const std::uint32_t*>(elements)[i]; break;
    default: bits = static_cast<const std::uint64_t*>(elements)[i]; break;
  }
  if (type.kind == Kind::boolean) return {false, bits != 0 ? std::uint64_t{1} : 0};
  if (type.kind == Kind::unsigned_int) return {false, bits};
  const int shift = 64 - 8 * type.bytes;
  const auto value = static_cast<std::int64_t>(bits << shift) >> shift;
  return {value < 0, static_cast<std::uint64_t>(value)};
}

[[nodiscard]] RTINDEX_HD inline LinePlace place_integer(AnyInteger value, ElementType column) {
  using Where = LinePlace::Where;
  const int width = 8 * column.bytes;
  const std::uint64_t largest = ~std::uint64_t{0} >> (64 - width);
  if (column.kind != ElementType::Kind::signed_int) {
    if (value.negative) return {Where::below, 0};
    return value.bits > largest ? LinePlace{Where::above, largest}
                                : LinePlace{Where::on, value.bits};
  }
  const std::uint64_t half = std::uint64_t{1} << (width - 1);
  if (value.negative) {
    const std::uint64_t magnitude = std::uint64_t{0} - value.bits;
    return magnitude > half ? LinePlace{Where::below, 0} : LinePlace{Where::on, half - magnitude};
  }
  return value.bits >= half ? LinePlace{Where::above, largest}
                            : LinePlace{Where::on, half + value.bits};
}

// The smallest (up) or largest (down) float that is not below (above) a double.
[[nodiscard]] RTINDEX_HD inline float round_to_float(double value, bool up) {
  const auto nearest = static_cast<float>(value);
  const double rounded = nearest;
  if (up && rounded < value) return nextafterf(nearest, HUGE_VALF);
  if (!up && rounded > value) return nextafterf(nearest, -HUGE_VALF);
  return nearest;
}

[[nodiscard]] RTINDEX_HD inline LinePlace place_real(const void* elements, std::size_t i,
                                                     ElementType lookup, ElementType column,
                                                     bool up) {
  using Where = LinePlace::Where;
  if (lookup.bytes == 4) {
    const float value = static_cast<const float*>(elements)[i];
    if (column.bytes == 4) return {Where::on, ordered_bits(value)};
    return {Where::on, ordered_bits(static_cast<double>(value))};
  }
  const double value = static_cast<const double*>(elements)[i];
  if (column.bytes == 8) return {Where::on, ordered_bits(value)};
  return {Where::on, ordered_bits(value != value ? std::numeric_limits<float>::quiet_NaN()
                                                 : round_to_float(value, up))};
}

// A native column's encoding: ordered_bits() minus the base, up to the span.
struct NativeMap {
  ElementType column;
  std::uint64_t base;
  std::uint64_t span;
  bool empty;  // no valid key at all
};

// One end of a lookup on the line of the column's type, rounded up or down to a value that it has.
[[nodiscard]] RTINDEX_HD inline LinePlace place_end(const NativeMap& map, const void* elements,
                                                    ElementType type, std::size_t i, bool up) {
  if (type.kind == ElementType::Kind::real) return place_real(elements, i, type, map.column, up);
  return place_integer(load_integer(elements, i, type), map.column);
}

// A key that a column is to hold, on the line of the column's type.
struct NewKey {
  std::uint64_t bits;  // its ordered_bits()
  bool fits;           // whether the type has exactly this value
};

[[nodiscard]] RTINDEX_HD inline NewKey place_new_key(const NativeMap& map, const void* elements,
                                                     ElementType type, std::size_t i) {
  using Where = LinePlace::Where;
  const LinePlace up = place_end(map, elements, type, i, true);
  const LinePlace down = place_end(map, elements, type, i, false);
  const bool is_on = up.where == Where::on && down.where == Where::on && up.bits == down.bits;
  const bool is_bool = map.column.kind == ElementType::Kind::boolean;
  return {up.bits, is_on && (!is_bool || up.bits <= 1)};
}

// The first encoded key that is not less than a lower end, or greater where it is open; false where
// the column has none.
[[nodiscard]] RTINDEX_HD inline bool encode_lower(const NativeMap& map, const void* elements,
                                                  ElementType type, std::size_t i, bool open,
                                                  std::uint64_t& key) {
  using Where = LinePlace::Where;
  const LinePlace place = place_end(map, elements, type, i, !open);
  key = 0;
  if (place.where == Where::above) return false;
  if (place.where == Where::below) return true;
  std::uint64_t bits = place.bits;
  if (open && ++bits == 0) return false;
  if (bits > map.base) key = bits - map.base;
  return key <= map.span;
}

// The last encoded key that is not greater than an upper end, or less where it is open.
[[nodiscard]] RTINDEX_HD inline bool encode_upper(const NativeMap& map, const void* elements,
                                                  ElementType type, std::size_t i, bool open,
                                                  std::uint64_t& key) {
  using Where = LinePlace::Where;
  const LinePlace place = place_end(map, elements, type, i, open);
  key = map.span;
  if (place.where == Where::below) return false;
  if (place.where == Where::above) return true;
  std::uint64_t bits = place.bits;
  if (open && bits-- == 0) return false;
  if (bits < map.base) return false;
  if (bits - map.base < key) key = bits - map.base;
  return true;
}

// Both for one element, closed.
struct EncodedEnds {
  bool has_lower, has_upper;
  bool check;  // rows with this encoded key must be compared in full
  std::uint64_t lower, upper;
};

[[nodiscard]] RTINDEX_HD inline EncodedEnds encode_ends(const NativeMap& map, const void* elements,
                                                        ElementType type, std::size_t i) {
  using Where = LinePlace::Where;
  EncodedEnds ends{};
  if (type.kind == ElementType::Kind::real) {
    ends.has_lower = encode_lower(map, elements, type, i, false, ends.lower);
    ends.has_upper = encode_upper(map, elements, type, i, false, ends.upper);
    return ends;
  }
  // Integers are not rounded.
  const LinePlace place = place_integer(load_integer(elements, i, type), map.column);
  const bool is_below = place.where == Where::below || place.bits < map.base;
  const std::uint64_t offset = is_below ? 0 : place.bits - map.base;
  ends.lower = offset;
  ends.upper = offset < map.span ? offset : map.span;
  ends.has_lower = place.where != Where::above && offset <= map.span;
  ends.has_upper = !is_below;
  return ends;
}

// Lookup i as an interval of encoded keys. Both ends may be the same array; a null one is left out.
[[nodiscard]] RTINDEX_HD inline Interval encode_interval(const NativeMap& map, const void* lower,
                                                         ElementType lower_type, const void* upper,
                                                         ElementType upper_type, std::size_t i,
                                                         RangeEnds ends = {}) {
  if (map.empty) return {1, 0};
  Interval interval{0, map.span};
  if (lower != nullptr && !encode_lower(map, lower, lower_type, i, ends.lower_open, interval.lower))
    return {1, 0};
  if (upper != nullptr && !encode_upper(map, upper, upper_type, i, ends.upper_open, interval.upper))
    return {1, 0};
  return interval.lower > interval.upper ? Interval{1, 0} : interval;
}

}  // namespace rtindex
