#pragma once

#include <cstdint>

#include "base/macros.hpp"

namespace rtindex::bench {

// A one-to-one map of the integers below 2^bits that looks random, with its inverse: a column of
// any size whose every lookup can be checked without a second index.
class BitMix {
 public:
  RTINDEX_HD explicit constexpr BitMix(int bits)
      : shift_((bits + 1) / 2), mask_(~std::uint64_t{0} >> (64 - bits)) {}

  [[nodiscard]] RTINDEX_HD constexpr std::uint64_t operator()(std::uint64_t x) const {
    x = x * first & mask_;
    x ^= x >> shift_;
    x = x * second & mask_;
    x ^= x >> shift_;
    return x;
  }

  [[nodiscard]] RTINDEX_HD constexpr std::uint64_t inverse(std::uint64_t x) const {
    // Shifting by at least half of the bits undoes itself.
    x ^= x >> shift_;
    x = x * inverse_of(second) & mask_;
    x ^= x >> shift_;
    return x * inverse_of(first) & mask_;
  }

 private:
  static constexpr std::uint64_t first = 0x9e3779b97f4a7c15ULL;
  static constexpr std::uint64_t second = 0xd6e8feb86659fd93ULL;

  // Of an odd number, modulo 2^64: Newton's iteration doubles the bits that are right.
  [[nodiscard]] RTINDEX_HD static constexpr std::uint64_t inverse_of(std::uint64_t odd) {
    std::uint64_t x = odd;
    for (int i = 0; i < 5; ++i) x *= 2 - odd * x;
    return x;
  }

  int shift_;
  std::uint64_t mask_;
};

}  // namespace rtindex::bench
