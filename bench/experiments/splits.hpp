#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/session.hpp"

namespace rtindex::bench {

// The bits that a dense column of 2^keys_log2 keys gives to x: from 3 to 10 fewer than it has,
// which is the paper's 16 to 23 at 2^26 keys.
inline std::vector<int> bits_on_x(std::size_t keys_log2) {
  std::vector<int> bits;
  for (int left = 10; left >= 3; --left) bits.push_back(static_cast<int>(keys_log2) - left);
  return bits;
}

// "23+9+0" or "23+0+9": x, and all other bits of a 32-bit key on one more axis.
inline std::string two_axis_split(int x_bits, bool on_y) {
  constexpr int most = 23;
  const int other = std::min(most, 32 - x_bits);
  return on_y ? fmt::format("{}+{}+0", x_bits, other) : fmt::format("{}+0+{}", x_bits, other);
}

}  // namespace rtindex::bench
