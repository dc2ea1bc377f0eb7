#pragma once

#include <cstdint>

#include "base/macros.hpp"
#include "base/wide.hpp"

namespace rtindex::bench {

// Random numbers by position: every element of a workload is a function of the seed and its place,
// so that any number of threads, on any device, make the same workload.

// A bijection of 64-bit words: the finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
[[nodiscard]] RTINDEX_HD constexpr std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31);
}

[[nodiscard]] RTINDEX_HD constexpr std::uint64_t random_at(std::uint64_t seed,
                                                           std::uint64_t place) {
  return mixed(mixed(seed + 0x9e3779b97f4a7c15U) + place * 0x9e3779b97f4a7c15U);
}

// In 0 .. bound-1.
[[nodiscard]] RTINDEX_HD constexpr std::uint64_t random_below(std::uint64_t bound,
                                                              std::uint64_t seed,
                                                              std::uint64_t place) {
  return static_cast<std::uint64_t>(static_cast<uint128>(random_at(seed, place)) * bound >> 64);
}

// In [0, 1).
[[nodiscard]] RTINDEX_HD constexpr double random_fraction(std::uint64_t seed, std::uint64_t place) {
  return static_cast<double>(random_at(seed, place) >> 11) * 0x1p-53;
}

// A random order of 0 .. size-1 that needs no memory: a Feistel network over the next even number
// of bits, applied again while it leads out of the range. Inverse included.
class Permutation {
 public:
  RTINDEX_HD constexpr Permutation(std::uint64_t size, std::uint64_t seed)
      : size_(size), seed_(seed), half_(half_of(size)) {}

  [[nodiscard]] RTINDEX_HD constexpr std::uint64_t operator()(std::uint64_t place) const {
    do place = forward(place);
    while (place >= size_);
    return place;
  }
  // The place that is mapped to `image`.
  [[nodiscard]] RTINDEX_HD constexpr std::uint64_t place_of(std::uint64_t image) const {
    do image = backward(image);
    while (image >= size_);
    return image;
  }

 private:
  static constexpr std::uint64_t rounds = 4;

  // Half as many bits as 0 .. size-1 need. (A loop: std::countl_zero was wrong in device code.)
  RTINDEX_HD static constexpr int half_of(std::uint64_t size) {
    int half = 1;
    while (half < 32 && size > 1 && (size - 1) >> (2 * half) != 0) ++half;
    return half;
  }
  [[nodiscard]] RTINDEX_HD constexpr std::uint64_t low_bits() const {
    return (std::uint64_t{1} << half_) - 1;
  }
  [[nodiscard]] RTINDEX_HD constexpr std::uint64_t noise(std::uint64_t round,
                                                         std::uint64_t half) const {
    return random_at(seed_ + round, half) & low_bits();
  }
  [[nodiscard]] RTINDEX_HD constexpr std::uint64_t forward(std::uint64_t place) const {
    std::uint64_t left = place >> half_;
    std::uint64_t right = place & low_bits();
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const std::uint64_t next = left ^ noise(round, right);
      left = right;
      right = next;
    }
    return (left << half_) | right;
  }
  [[nodiscard]] RTINDEX_HD constexpr std::uint64_t backward(std::uint64_t place) const {
    std::uint64_t left = place >> half_;
    std::uint64_t right = place & low_bits();
    for (std::uint64_t round = rounds; round-- > 0;) {
      const std::uint64_t previous = right ^ noise(round, left);
      right = left;
      left = previous;
    }
    return (left << half_) | right;
  }

  std::uint64_t size_;
  std::uint64_t seed_;
  int half_;
};

}  // namespace rtindex::bench
