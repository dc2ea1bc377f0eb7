#pragma once

#include <cstdint>

#include "base/macros.hpp"

namespace rtindex {

__extension__ using uint128 = unsigned __int128;
__extension__ using int128 = __int128;

// The upper half of the 128-bit product.
[[nodiscard]] RTINDEX_HD inline std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(static_cast<uint128>(a) * b >> 64);
}

// The closest double; of two, the even one. The same on host and device.
[[nodiscard]] RTINDEX_HD inline double to_double(int128 number) {
  const bool is_negative = number < 0;
  const uint128 size =
      is_negative ? 0 - static_cast<uint128>(number) : static_cast<uint128>(number);
  // The leading 64 bits, of which the last stands for all bits after them: doubles have 53.
  int shift = 0;
  while (size >> shift >> 64 != 0) ++shift;
  const bool has_rest = (size & ((uint128{1} << shift) - 1)) != 0;
  const auto leading = static_cast<std::uint64_t>(size >> shift) | (has_rest ? 1U : 0U);
  double scale = 1;
  for (int i = 0; i < shift; ++i) scale *= 2;
  const double result = static_cast<double>(leading) * scale;
  return is_negative ? -result : result;
}

}  // namespace rtindex
