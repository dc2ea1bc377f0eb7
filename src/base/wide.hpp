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

}  // namespace rtindex
