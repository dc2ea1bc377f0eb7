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

  // One of the two is always 0.
  [[nodiscard]] RTINDEX_HD constexpr bool exceeds(const KeyDistance& other) const {
    return whole > other.whole || real > other.real;
  }
};

// No distance exceeds it.
inline constexpr KeyDistance any_distance{std::numeric_limits<std::uint64_t>::max(),
                                          std::numeric_limits<double>::infinity()};

// The integer with these ordered_bits() in a column.
[[nodiscard]] RTINDEX_HD inline AnyInteger integer_at(std::uint64_t ordered, ElementType column) {
  if (column.kind != ElementType::Kind::signed_int) return {false, ordered};
  const std::uint64_t half = std::uint64_t{1} << (8 * column.bytes - 1);
  return {ordered < half, ordered - half};
}

[[nodiscard]] RTINDEX_HD inline double real_at(std::uint64_t ordered, ElementType column) {
  if (column.bytes == 4) return static_cast<double>(from_ordered_bits<float>(ordered));
  return from_ordered_bits<double>(ordered);
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
  if (type.kind != ElementType::Kind::real)
    return {distance_between(load_integer(lookups, i, type), integer_at(ordered, column)), 0};
  const double value = type.bytes == 4 ? static_cast<double>(static_cast<const float*>(lookups)[i])
                                       : static_cast<const double*>(lookups)[i];
  return {0, distance_between(value, real_at(ordered, column))};
}

}  // namespace rtindex
