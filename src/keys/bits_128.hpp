#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <rtindex/column.hpp>

#include "base/macros.hpp"
#include "base/types.hpp"
#include "keys/distance.hpp"
#include "keys/interval.hpp"
#include "keys/native_map.hpp"

namespace rtindex {

// Keys of 128 bits as ordered integers of 128 bits, and the mapping of these to encoded keys, for
// host and device.

__extension__ using Uint128 = unsigned __int128;

[[nodiscard]] RTINDEX_HD constexpr Uint128 to_uint128(Bits128 bits) {
  return static_cast<Uint128>(bits.high) << 64 | bits.low;
}
[[nodiscard]] RTINDEX_HD constexpr Bits128 to_bits128(Uint128 number) {
  return {static_cast<std::uint64_t>(number), static_cast<std::uint64_t>(number >> 64)};
}

[[nodiscard]] RTINDEX_HD constexpr std::uint64_t reversed_bytes(std::uint64_t word) {
  word = (word & 0x00ff00ff00ff00ffU) << 8 | (word >> 8 & 0x00ff00ff00ff00ffU);
  word = (word & 0x0000ffff0000ffffU) << 16 | (word >> 16 & 0x0000ffff0000ffffU);
  return word << 32 | word >> 32;
}

// 16 bytes in memory as a number in their order: the first byte is the highest.
[[nodiscard]] RTINDEX_HD constexpr Uint128 from_bytes(Bits128 bytes) {
  static_assert(std::endian::native == std::endian::little);
  return to_uint128({reversed_bytes(bytes.high), reversed_bytes(bytes.low)});
}

inline constexpr Uint128 sign_bit_128 = Uint128{1} << 127;

// An integer of up to 128 bits, signed or not.
struct Integer128 {
  bool negative;
  Uint128 bits;  // two's complement
};

// Element i of some integers or decimals.
[[nodiscard]] RTINDEX_HD inline Integer128 integer_128_at(const void* elements, ElementType type,
                                                          std::size_t i) {
  if (type.bytes != sizeof(Bits128)) {
    const AnyInteger narrow = load_integer(elements, i, type);
    const Uint128 sign = narrow.negative ? ~Uint128{0} << 64 : 0;
    return {narrow.negative, sign | narrow.bits};
  }
  const Uint128 bits =
      to_uint128(load_bits128(static_cast<const unsigned char*>(elements) + sizeof(Bits128) * i));
  return {type.kind == ElementType::Kind::signed_int && bits >= sign_bit_128, bits};
}
[[nodiscard]] inline Integer128 integer_128_at(const ColumnView& column, std::size_t i) {
  return integer_128_at(column.data(), element_type(column.type()), i);
}

// A value in the order of a column of 128 bits, or the end of the column's type that the value is
// beyond.
struct ClampedBits128 {
  ClampedBits::Range range;
  Uint128 bits;
};

[[nodiscard]] RTINDEX_HD inline ClampedBits128 ordered_bits_128(const void* elements,
                                                                ElementType type, std::size_t i,
                                                                ElementType column) {
  using Range = ClampedBits::Range;
  using Element = ElementType::Kind;
  if (column.kind == Element::binary)
    return {Range::inside, from_bytes(load_bits128(static_cast<const unsigned char*>(elements) +
                                                   sizeof(Bits128) * i))};
  const Integer128 value = integer_128_at(elements, type, i);
  if (column.kind == Element::unsigned_int)
    return value.negative ? ClampedBits128{Range::below, 0}
                          : ClampedBits128{Range::inside, value.bits};
  if (!value.negative && value.bits >= sign_bit_128) return {Range::above, ~Uint128{0}};
  return {Range::inside, value.bits ^ sign_bit_128};
}
[[nodiscard]] inline ClampedBits128 ordered_bits_128(const ColumnView& elements, std::size_t i,
                                                     Type column) {
  return ordered_bits_128(elements.data(), element_type(elements.type()), i, element_type(column));
}

// The element with these ordered bits.
[[nodiscard]] inline Bits128 from_ordered_bits_128(Uint128 ordered, Type column) {
  if (column == Type::u128) return to_bits128(ordered);
  if (column != Type::binary16) return to_bits128(ordered ^ sign_bit_128);
  const Bits128 number = to_bits128(ordered);
  return {reversed_bytes(number.high), reversed_bytes(number.low)};
}

// The smallest and largest of some keys: ordered bits.
struct Extent128 {
  Uint128 smallest = ~Uint128{0};
  Uint128 largest = 0;

  [[nodiscard]] RTINDEX_HD bool empty() const { return smallest > largest; }
  [[nodiscard]] RTINDEX_HD static Extent128 union_of(const Extent128& a, const Extent128& b) {
    return {a.smallest < b.smallest ? a.smallest : b.smallest,
            a.largest > b.largest ? a.largest : b.largest};
  }
};

// Encoded keys are the highest 64 bits of what remains above the smallest key. Where a column spans
// more than 64 bits, the bits below are kept, and compared in the hit.
struct Map128 {
  Bits128 base;     // the ordered bits of the smallest key
  int dropped = 0;  // low bits that are not encoded

  [[nodiscard]] static Map128 of(const Extent128& extent) {
    if (extent.empty()) return {};
    const Bits128 span = to_bits128(extent.largest - extent.smallest);
    return {to_bits128(extent.smallest), static_cast<int>(std::bit_width(span.high))};
  }
  [[nodiscard]] RTINDEX_HD Uint128 encoded(Uint128 ordered) const {
    return (ordered - to_uint128(base)) >> dropped;
  }
  // The bits that are not encoded.
  [[nodiscard]] RTINDEX_HD std::uint64_t low(Uint128 ordered) const {
    return static_cast<std::uint64_t>(ordered - to_uint128(base)) & low_mask();
  }
  [[nodiscard]] RTINDEX_HD std::uint64_t low_mask() const {
    return dropped == 0 ? 0 : ~std::uint64_t{0} >> (64 - dropped);
  }
};

// `span`: the largest encoded key.
[[nodiscard]] RTINDEX_HD inline EncodedEnds encode_ends(const Map128& map, std::uint64_t span,
                                                        ClampedBits128 own) {
  using Range = ClampedBits::Range;
  if (own.range == Range::below || own.bits < to_uint128(map.base)) return {{}, {0, true}};
  const Uint128 key = map.encoded(own.bits);
  if (own.range == Range::above || key > span) return {{0, true}, {span}};
  const Bound bound{static_cast<std::uint64_t>(key), false, map.dropped != 0};
  return {bound, bound};
}

// 2^128 and more, between an int128 and a uint128, are as far as 2^128 - 1.
[[nodiscard]] inline KeyDistance distance_between(Integer128 a, Integer128 b) {
  const bool is_less = a.negative != b.negative ? a.negative : a.bits < b.bits;
  const Uint128 smaller = is_less ? a.bits : b.bits;
  const Uint128 greater = is_less ? b.bits : a.bits;
  const bool is_farther = a.negative != b.negative && greater >= smaller;
  const Bits128 distance = to_bits128(is_farther ? ~Uint128{0} : greater - smaller);
  return {distance.low, 0, distance.high};
}

}  // namespace rtindex
