#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/macros.hpp"
#include "base/types.hpp"

namespace rtindex {

// Maps a native value to a uint64 such that the order of the values is the order of the integers
// (paper, section 3.2, "Handling other data types"). Values that compare equal map to one integer:
// -0 and +0; all NaNs, which are greater than every number.
template <class T>
[[nodiscard]] RTINDEX_HD constexpr std::uint64_t ordered_bits(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits sign = Bits{1} << (sizeof(T) * 8 - 1);
    // NOLINTNEXTLINE(misc-redundant-expression): a NaN differs from itself
    if (value != value) value = std::numeric_limits<T>::quiet_NaN();
    if (value == T{0}) value = T{0};
    const Bits bits = std::bit_cast<Bits>(value);
    return (bits & sign) != 0 ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | sign);
  } else if constexpr (std::is_signed_v<T>) {
    using Bits = std::make_unsigned_t<T>;
    constexpr Bits sign = static_cast<Bits>(Bits{1} << (sizeof(T) * 8 - 1));
    return static_cast<Bits>(static_cast<Bits>(value) ^ sign);
  } else {
    return value;
  }
}

// The inverse; -0 comes back as +0.
template <class T>
[[nodiscard]] RTINDEX_HD constexpr T from_ordered_bits(std::uint64_t ordered) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits sign = Bits{1} << (sizeof(T) * 8 - 1);
    const Bits bits = static_cast<Bits>(ordered);
    return std::bit_cast<T>((bits & sign) != 0 ? static_cast<Bits>(bits ^ sign)
                                               : static_cast<Bits>(~bits));
  } else if constexpr (std::is_signed_v<T>) {
    using Bits = std::make_unsigned_t<T>;
    constexpr Bits sign = static_cast<Bits>(Bits{1} << (sizeof(T) * 8 - 1));
    return static_cast<T>(static_cast<Bits>(ordered) ^ sign);
  } else {
    return static_cast<T>(ordered);
  }
}

// Whether elements of these types can be compared: integers (and bool), decimals and times of day
// by value at any width, floats with floats, all others with their own type. Units and scales are
// compared elsewhere.
[[nodiscard]] constexpr bool comparable(Type a, Type b) {
  const auto is_whole = [](Type type) {
    return is_integer(type) || type == Type::i128 || type == Type::u128;
  };
  const auto is_time = [](Type type) { return type == Type::time32 || type == Type::time64; };
  return (is_whole(a) && is_whole(b)) || (is_float(a) && is_float(b)) ||
         (is_decimal(a) && is_decimal(b)) || (is_time(a) && is_time(b)) || a == b;
}

}  // namespace rtindex
