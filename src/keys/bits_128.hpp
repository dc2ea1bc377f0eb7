#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <rtindex/column.hpp>

#include "base/types.hpp"
#include "keys/distance.hpp"
#include "keys/native_map.hpp"

namespace rtindex {

// Keys of 128 bits as ordered integers of 128 bits. Only the host has them.

__extension__ using Uint128 = unsigned __int128;

[[nodiscard]] constexpr Uint128 to_uint128(Bits128 bits) {
  return static_cast<Uint128>(bits.high) << 64 | bits.low;
}
[[nodiscard]] constexpr Bits128 to_bits128(Uint128 number) {
  return {static_cast<std::uint64_t>(number), static_cast<std::uint64_t>(number >> 64)};
}

// 16 bytes in memory as a number in their order: the first byte is the highest.
[[nodiscard]] inline Uint128 from_bytes(Bits128 bytes) {
  static_assert(std::endian::native == std::endian::little);
  return to_uint128({__builtin_bswap64(bytes.high), __builtin_bswap64(bytes.low)});
}

inline constexpr Uint128 sign_bit_128 = Uint128{1} << 127;

// An integer of up to 128 bits, signed or not.
struct Integer128 {
  bool negative;
  Uint128 bits;  // two's complement
};

// Element i of a column of integers or decimals.
[[nodiscard]] inline Integer128 integer_128_at(const ColumnView& column, std::size_t i) {
  if (!is_128_bit(column.type())) {
    const AnyInteger narrow = load_integer(column.data(), i, element_type(column.type()));
    const Uint128 sign = narrow.negative ? ~Uint128{0} << 64 : 0;
    return {narrow.negative, sign | narrow.bits};
  }
  const Uint128 bits =
      to_uint128(load_bits128(static_cast<const std::byte*>(column.data()) + 16 * i));
  return {column.type() != Type::u128 && bits >= sign_bit_128, bits};
}

// A value in the order of a column of 128 bits, or the end of the column's type that the value is
// beyond.
struct ClampedBits128 {
  ClampedBits::Range range;
  Uint128 bits;
};

[[nodiscard]] inline ClampedBits128 ordered_bits_128(const ColumnView& elements, std::size_t i,
                                                     Type column) {
  using Range = ClampedBits::Range;
  if (column == Type::binary16)
    return {Range::inside,
            from_bytes(load_bits128(static_cast<const std::byte*>(elements.data()) + 16 * i))};
  const Integer128 value = integer_128_at(elements, i);
  if (column == Type::u128)
    return value.negative ? ClampedBits128{Range::below, 0}
                          : ClampedBits128{Range::inside, value.bits};
  if (!value.negative && value.bits >= sign_bit_128) return {Range::above, ~Uint128{0}};
  return {Range::inside, value.bits ^ sign_bit_128};
}

// The element with these ordered bits.
[[nodiscard]] inline Bits128 from_ordered_bits_128(Uint128 ordered, Type column) {
  if (column == Type::u128) return to_bits128(ordered);
  if (column != Type::binary16) return to_bits128(ordered ^ sign_bit_128);
  const Bits128 number = to_bits128(ordered);
  return {__builtin_bswap64(number.high), __builtin_bswap64(number.low)};
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
