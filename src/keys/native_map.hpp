#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "base/macros.hpp"
#include "keys/interval.hpp"
#include "keys/ordered_bits.hpp"

namespace rtindex {

// The mapping of native keys to encoded keys, for host and device: ordered_bits() minus a base.
// Types are arguments: constants in loops over one type, else read from the column at run time.
// The types of a column and its lookups are comparable().

// How the elements of a native column lie in memory. Of strings the bytes are those of an offset.
struct ElementType {
  enum class Kind : std::uint8_t { boolean, unsigned_int, signed_int, real, string, binary } kind;
  std::uint8_t bytes;
};

[[nodiscard]] RTINDEX_HD constexpr ElementType element_type(Type type) {
  using Element = ElementType::Kind;
  switch (type) {
    case Type::boolean: return {Element::boolean, 1};
    case Type::u8: return {Element::unsigned_int, 1};
    case Type::u16: return {Element::unsigned_int, 2};
    case Type::u32: return {Element::unsigned_int, 4};
    case Type::i8: return {Element::signed_int, 1};
    case Type::i16: return {Element::signed_int, 2};
    case Type::i32:
    case Type::date32:
    case Type::time32:
    case Type::decimal32: return {Element::signed_int, 4};
    case Type::i64:
    case Type::timestamp64:
    case Type::time64:
    case Type::duration64:
    case Type::decimal64: return {Element::signed_int, 8};
    case Type::i128:
    case Type::decimal128: return {Element::signed_int, 16};
    case Type::u128: return {Element::unsigned_int, 16};
    case Type::binary16: return {Element::binary, 16};
    case Type::f16: return {Element::real, 2};
    case Type::f32: return {Element::real, 4};
    case Type::f64: return {Element::real, 8};
    case Type::string: return {Element::string, 8};
    default: return {Element::unsigned_int, 8};
  }
}

[[nodiscard]] constexpr ElementType string_elements(std::size_t offset_bytes) {
  return {ElementType::Kind::string, static_cast<std::uint8_t>(offset_bytes)};
}

// The ordered_bits() of a value in a column's type, or the end of the type that the value is
// beyond.
struct ClampedBits {
  enum class Range : std::uint8_t { below, inside, above } range;
  std::uint64_t bits;
};

// An integer of up to 64 bits, signed or not, or one beyond them.
struct AnyInteger {
  bool negative;
  std::uint64_t bits;      // two's complement
  bool is_beyond = false;  // less than every int64, or greater than every uint64
  std::uint64_t high = 0;  // the bits above those, of an integer beyond
};

[[nodiscard]] RTINDEX_HD inline AnyInteger load_128_bits(const void* elements, std::size_t i,
                                                         ElementType type) {
  const auto* const words = static_cast<const std::uint64_t*>(elements) + 2 * i;
  const bool negative = type.kind == ElementType::Kind::signed_int && words[1] >> 63 != 0;
  const bool is_beyond =
      negative ? words[1] != ~std::uint64_t{0} || words[0] >> 63 == 0 : words[1] != 0;
  return {negative, words[0], is_beyond, words[1]};
}

[[nodiscard]] RTINDEX_HD inline AnyInteger load_integer(const void* elements, std::size_t i,
                                                        ElementType type) {
  using Element = ElementType::Kind;
  if (type.bytes == 16) return load_128_bits(elements, i, type);
  std::uint64_t bits = 0;
  switch (type.bytes) {
    case 1: bits = static_cast<const std::uint8_t*>(elements)[i]; break;
    case 2: bits = static_cast<const std::uint16_t*>(elements)[i]; break;
    case 4: bits = static_cast<const std::uint32_t*>(elements)[i]; break;
    default: bits = static_cast<const std::uint64_t*>(elements)[i]; break;
  }
  if (type.kind == Element::boolean) return {false, bits != 0 ? std::uint64_t{1} : 0};
  if (type.kind == Element::unsigned_int) return {false, bits};
  const int shift = 64 - 8 * type.bytes;
  const auto value = static_cast<std::int64_t>(bits << shift) >> shift;
  return {value < 0, static_cast<std::uint64_t>(value)};
}

[[nodiscard]] RTINDEX_HD inline ClampedBits clamp_integer(AnyInteger value, ElementType column) {
  using Range = ClampedBits::Range;
  const int width = 8 * column.bytes;
  const std::uint64_t largest = ~std::uint64_t{0} >> (64 - width);
  if (value.is_beyond)
    return value.negative ? ClampedBits{Range::below, 0} : ClampedBits{Range::above, largest};
  if (column.kind != ElementType::Kind::signed_int) {
    if (value.negative) return {Range::below, 0};
    return value.bits > largest ? ClampedBits{Range::above, largest}
                                : ClampedBits{Range::inside, value.bits};
  }
  const std::uint64_t half = std::uint64_t{1} << (width - 1);
  if (value.negative) {
    const std::uint64_t magnitude = std::uint64_t{0} - value.bits;
    return magnitude > half ? ClampedBits{Range::below, 0}
                            : ClampedBits{Range::inside, half - magnitude};
  }
  return value.bits >= half ? ClampedBits{Range::above, largest}
                            : ClampedBits{Range::inside, half + value.bits};
}

// The smallest (up) or largest (down) float that is not below (above) a double.
[[nodiscard]] RTINDEX_HD inline float round_to_float(double value, bool up) {
  const auto nearest = static_cast<float>(value);
  const double rounded = nearest;
  if (up && rounded < value) return nextafterf(nearest, HUGE_VALF);
  if (!up && rounded > value) return nextafterf(nearest, -HUGE_VALF);
  return nearest;
}

// The ordered_bits() of a float16 column are those of its keys as floats.
[[nodiscard]] RTINDEX_HD inline ClampedBits round_real(const void* elements, std::size_t i,
                                                       ElementType lookup, ElementType column,
                                                       bool up) {
  using Range = ClampedBits::Range;
  if (lookup.bytes != 8) {
    const float value = lookup.bytes == 2 ? static_cast<const Half*>(elements)[i].value()
                                          : static_cast<const float*>(elements)[i];
    if (column.bytes != 8) return {Range::inside, ordered_bits(value)};
    return {Range::inside, ordered_bits(static_cast<double>(value))};
  }
  const double value = static_cast<const double*>(elements)[i];
  if (column.bytes == 8) return {Range::inside, ordered_bits(value)};
  return {Range::inside, ordered_bits(value != value ? std::numeric_limits<float>::quiet_NaN()
                                                     : round_to_float(value, up))};
}

struct NativeMap {
  ElementType column;
  std::uint64_t base;
  std::uint64_t span;
  bool empty;  // no valid key at all
};

// One end of a lookup in the column's type, rounded up or down to a value that the type has.
[[nodiscard]] RTINDEX_HD inline ClampedBits convert_end(const NativeMap& map, const void* elements,
                                                        ElementType type, std::size_t i, bool up) {
  if (type.kind == ElementType::Kind::real) return round_real(elements, i, type, map.column, up);
  return clamp_integer(load_integer(elements, i, type), map.column);
}

// A key that a column is to hold.
struct NewKey {
  std::uint64_t bits;  // its ordered_bits() in the column's type
  bool fits;           // whether the type has exactly this value
};

[[nodiscard]] RTINDEX_HD inline NewKey convert_key(const NativeMap& map, const void* elements,
                                                   ElementType type, std::size_t i) {
  using Range = ClampedBits::Range;
  const ClampedBits up = convert_end(map, elements, type, i, true);
  const ClampedBits down = convert_end(map, elements, type, i, false);
  const bool is_exact =
      up.range == Range::inside && down.range == Range::inside && up.bits == down.bits;
  if (map.column.kind == ElementType::Kind::boolean) return {up.bits, is_exact && up.bits <= 1};
  if (map.column.kind != ElementType::Kind::real || map.column.bytes != 2)
    return {up.bits, is_exact};
  const Half half(from_ordered_bits<float>(up.bits));
  return {up.bits, is_exact && ordered_bits(half.value()) == up.bits};
}

// `up`: the smallest value that is not below a lookup; `down`: the largest that is not above.
[[nodiscard]] RTINDEX_HD inline EncodedEnds ends_at(const NativeMap& map, ClampedBits up,
                                                    ClampedBits down) {
  using Range = ClampedBits::Range;
  const bool starts_below = up.range == Range::below || up.bits < map.base;
  const bool ends_below = down.range == Range::below || down.bits < map.base;
  const std::uint64_t first = starts_below ? 0 : up.bits - map.base;
  const std::uint64_t last = ends_below ? 0 : down.bits - map.base;
  return {{first, up.range == Range::above || first > map.span},
          {last < map.span ? last : map.span, ends_below}};
}

[[nodiscard]] RTINDEX_HD inline EncodedEnds encode_ends(const NativeMap& map, const void* elements,
                                                        ElementType type, std::size_t i) {
  if (type.kind == ElementType::Kind::real)
    return ends_at(map, round_real(elements, i, type, map.column, true),
                   round_real(elements, i, type, map.column, false));
  // Integers are not rounded.
  const ClampedBits bits = clamp_integer(load_integer(elements, i, type), map.column);
  return ends_at(map, bits, bits);
}

// The encoded key of some ordered_bits(); false where it is not one of 0..span. Below the base it
// wraps around to one above the span.
[[nodiscard]] RTINDEX_HD constexpr bool encode_bits(std::uint64_t base, std::uint64_t span,
                                                    std::uint64_t bits, std::uint64_t& key) {
  key = bits - base;
  return key <= span;
}

// The encoded key at the end of a range at these ordered_bits(): the smallest that is not less, or
// the largest that is not greater. False where there is none.
template <Edge edge>
[[nodiscard]] RTINDEX_HD constexpr bool encode_edge(std::uint64_t base, std::uint64_t span,
                                                    std::uint64_t bits, bool open,
                                                    std::uint64_t& key) {
  if constexpr (edge == Edge::last) {
    if (open && bits-- == 0) return false;
    const std::uint64_t offset = bits - base;
    key = offset < span ? offset : span;
    return bits >= base;
  } else {
    if (open && ++bits == 0) return false;
    key = bits > base ? bits - base : 0;
    return key <= span;
  }
}

// The range of some ordered_bits() as encoded keys, 0..span from the base on.
// Always inline: loops over lookups of one type are several times as fast as with a call.
[[nodiscard, gnu::always_inline]] RTINDEX_HD inline Interval range_at(
    std::uint64_t base, std::uint64_t span, std::uint64_t from, std::uint64_t to, RangeEnds ends) {
  const std::uint64_t top = base + span;
  const bool none = (ends.lower_open && from >= top) || (ends.upper_open && to <= base);
  from += ends.lower_open ? 1 : 0;
  to -= ends.upper_open ? 1 : 0;
  from = from > base ? from : base;
  to = to < top ? to : top;
  return from <= to && !none ? Interval{from - base, to - base} : Interval{1, 0};
}

// Lookup i as an interval of encoded keys. Both ends may be the same array; a null one is unset.
[[nodiscard]] RTINDEX_HD inline Interval encode_interval(const NativeMap& map, const void* lower,
                                                         ElementType lower_type, const void* upper,
                                                         ElementType upper_type, std::size_t i,
                                                         RangeEnds ends = {}) {
  using Range = ClampedBits::Range;
  if (map.empty) return {1, 0};
  ClampedBits from{Range::below, 0};
  ClampedBits to{Range::above, ~std::uint64_t{0}};
  if (lower != nullptr) from = convert_end(map, lower, lower_type, i, !ends.lower_open);
  if (upper != nullptr) to = convert_end(map, upper, upper_type, i, ends.upper_open);
  if (from.range == Range::above || to.range == Range::below) return {1, 0};
  // An end beyond the type's values excludes none of them.
  ends.lower_open = ends.lower_open && from.range == Range::inside;
  ends.upper_open = ends.upper_open && to.range == Range::inside;
  return range_at(map.base, map.span, from.bits, to.bits, ends);
}

}  // namespace rtindex
