#pragma once

#include <algorithm>
#include <cstddef>

namespace rtindex::test {

// How much smaller columns, batches and numbers of rounds are under a sanitizer, whose tests take
// ten times as long. Every combination of index, column and answer is still tried.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::size_t effort_divisor = 4;
#else
inline constexpr std::size_t effort_divisor = 1;
#endif

[[nodiscard]] constexpr std::size_t affordable(std::size_t usual, std::size_t least = 1) {
  return std::max(usual / effort_divisor, std::min(usual, least));
}

}  // namespace rtindex::test
