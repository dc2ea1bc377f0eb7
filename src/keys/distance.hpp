#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/macros.hpp"
#include "keys/native_map.hpp"
#include "keys/ordered_bits.hpp"

namespace rtindex {

// How far two keys are apart: a whole number for integers and times, else a real one.
struct KeyDistance {
  std::uint64_t whole = 0;
  double real = 0;
  std::uint64_t high = 0;  // bits of the whole number above 64

  // The whole or the real number is always 0.
  [[nodiscard]] RTINDEX_HD constexpr bool exceeds(const KeyDistance& other) const {
    return high > other.high || (high == other.high && whole > other.whole) || real > other.real;
  }
};

// No distance exceeds it.
inline constexpr KeyDistance any_distance{std::numeric_limits<std::uint64_t>::max(),
                                          std::numeric_limits<double>::infinity(),
                                          std::numeric_limits<std::uint64_t>::max()};

// The integer with these ordered_bits() in a column.
[[nodiscard]] RTINDEX_HD inline AnyInteger integer_at(std::uint64_t ordered, ElementType column) {
  if (column.kind != ElementType::Kind::signed_int) return {false, ordered};
  const std::uint64_t half = std::uint64_t{1} << (8 * column.bytes - 1);
  return {ordered < half, ordered - half};
}

[[nodiscard]] RTINDEX_HD inline double real_at(std::uint64_t ordered, ElementType column) {
  if (column.bytes != 8) return static_cast<double>(from_ordered_bits<float>(ordered));
  return from_ordered_bits<double>(ordered);
}

[[nodiscard]] RTINDEX_HD inline double load_real(const void* elements, std::size_t i,
                                                 ElementType type) {
  switch (type.bytes) {
    case 2: return static_cast<double>(static_cast<const Half*>(elements)[i].value());
    case 4: return static_cast<double>(static_cast<const float*>(elements)[i]);
    default: return static_cast<const double*>(elements)[i];
  }
}

[[nodiscard]] RTINDEX_HD inline std::uint64_t distance_between(AnyInteger a, AnyInteger b) {
  if (a.negative != b.negative) {
    const std::uint64_t below = std::uint64_t{0} - (a.negative ? a.bits : b.bits);
    const std::uint64_t sum = below + (a.negative ? b.bits : a.bits);
    return sum < below ? ~std::uint64_t{0} : sum;
  }
  // Both are not negative, or both are, in two's complement.
  return a.bits > b.bits ? a.bits - b.bits : b.bits - a.bits;
}

// `beyond` is_beyond; the key has at most 64 bits.
[[nodiscard]] RTINDEX_HD inline KeyDistance distance_from_beyond(AnyInteger beyond,
                                                                 AnyInteger key) {
  const std::uint64_t key_high = key.negative ? ~std::uint64_t{0} : 0;
  if (beyond.negative)
    return {key.bits - beyond.bits, 0, key_high - beyond.high - (key.bits < beyond.bits ? 1 : 0)};
  // 2^128 and more are as far as 2^128 - 1.
  const bool is_farther =
      key.negative && beyond.high == ~std::uint64_t{0} && beyond.bits >= key.bits;
  if (is_farther) return {~std::uint64_t{0}, 0, ~std::uint64_t{0}};
  return {beyond.bits - key.bits, 0, beyond.high - key_high - (beyond.bits < key.bits ? 1 : 0)};
}

// Infinities of one sign, and NaNs, are equal.
[[nodiscard]] RTINDEX_HD inline double distance_between(double a, double b) {
  if (a == b || (a != a && b != b)) return 0;
  const double between = a > b ? a - b : b - a;
  return between == between ? between : std::numeric_limits<double>::infinity();
}

// From element i of lookups to the key with these ordered_bits() in a native column.
[[nodiscard]] RTINDEX_HD inline KeyDistance distance_to(const void* lookups, ElementType type,
                                                        std::size_t i, std::uint64_t ordered,
                                                        ElementType column) {
  if (type.kind != ElementType::Kind::real) {
    const AnyInteger from = load_integer(lookups, i, type);
    const AnyInteger key = integer_at(ordered, column);
    if (from.is_beyond) return distance_from_beyond(from, key);
    return {distance_between(from, key), 0};
  }
  return {0, distance_between(load_real(lookups, i, type), real_at(ordered, column))};
}

}  // namespace rtindex
