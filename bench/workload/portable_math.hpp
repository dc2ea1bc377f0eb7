#pragma once

#include <cmath>
#include <cstdint>

#include "base/macros.hpp"
#include "workload/random.hpp"

namespace rtindex::bench {

// Logarithm, exponential and normal numbers with the same bits on host and device: divisions,
// square roots and fused multiply-adds are rounded alike everywhere, and there is no sum of
// products that a compiler may or may not fuse. Eight digits are right, which is enough for a
// workload.

inline constexpr double natural_log_of_2 = 0.69314718055994531;

// Of a number above 0: twice the inverse hyperbolic tangent of (m - 1) / (m + 1), for the mantissa.
[[nodiscard]] RTINDEX_HD inline double portable_log(double number) {
  int exponent = 0;
  const double mantissa = std::frexp(number, &exponent);
  const double t = (mantissa - 1) / (mantissa + 1);
  const double square = t * t;
  double series = 0;
  for (int power = 15; power > 0; power -= 2) series = std::fma(series, square, 1.0 / power);
  return std::fma(static_cast<double>(exponent), natural_log_of_2, 2 * t * series);
}

// A power of two, times the Taylor series of what remains.
[[nodiscard]] RTINDEX_HD inline double portable_exp(double exponent) {
  constexpr double log2_of_e = 1.4426950408889634;
  const double whole = std::floor(std::fma(exponent, log2_of_e, 0.5));
  const double rest = std::fma(whole, -natural_log_of_2, exponent);
  double series = 1;
  for (int term = 11; term > 0; --term) series = std::fma(series, rest / term, 1.0);
  return std::ldexp(series, static_cast<int>(whole));
}

// Normal numbers: mean 0, standard deviation 1 (Marsaglia's polar method).
[[nodiscard]] RTINDEX_HD inline double random_normal(std::uint64_t seed, std::uint64_t position) {
  for (std::uint64_t attempt = 0;; attempt += 2) {
    const double x = std::fma(2.0, random_fraction(seed + attempt, position), -1.0);
    const double y = std::fma(2.0, random_fraction(seed + attempt + 1, position), -1.0);
    const double square = std::fma(x, x, y * y);
    if (square > 0 && square < 1) return x * std::sqrt(-2 * portable_log(square) / square);
  }
}

}  // namespace rtindex::bench
