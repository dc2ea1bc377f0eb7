#pragma once

#include <cmath>
#include <cstdint>

#include "base/macros.hpp"
#include "base/wide.hpp"

namespace rtindex::bench {

// Counter-based random numbers: every element of a workload is a function of seed and position, so
// that any number of threads, on any device, generate the same workload.

// A bijection of 64-bit words: the finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
[[nodiscard]] RTINDEX_HD constexpr std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31);
}

[[nodiscard]] RTINDEX_HD constexpr std::uint64_t random_at(std::uint64_t seed,
                                                           std::uint64_t position) {
  return mixed(mixed(seed + 0x9e3779b97f4a7c15U) + position * 0x9e3779b97f4a7c15U);
}

// In 0 .. bound-1.
[[nodiscard]] RTINDEX_HD constexpr std::uint64_t random_below(std::uint64_t bound,
                                                              std::uint64_t seed,
                                                              std::uint64_t position) {
  return static_cast<std::uint64_t>(static_cast<uint128>(random_at(seed, position)) * bound >> 64);
}

// In [0, 1).
[[nodiscard]] RTINDEX_HD constexpr double random_fraction(std::uint64_t seed,
                                                          std::uint64_t position) {
  return static_cast<double>(random_at(seed, position) >> 11) * 0x1p-53;
}

// A random permutation of 0 .. size-1 without memory: a Feistel network over the next even number
// of bits, applied again while the result is out of range (cycle walking).
class Permutation {
 public:
  RTINDEX_HD constexpr Permutation(std::uint64_t size, std::uint64_t seed)
      : size_(size), seed_(seed), half_(half_of(size)) {}

  [[nodiscard]] RTINDEX_HD constexpr std::uint64_t operator()(std::uint64_t position) const {
    do position = forward(position);
    while (position >= size_);
    return position;
  }
  // The position that is mapped to `image`.
  [[nodiscard]] RTINDEX_HD constexpr std::uint64_t inverse(std::uint64_t image) const {
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
  [[nodiscard]] RTINDEX_HD constexpr std::uint64_t forward(std::uint64_t position) const {
    std::uint64_t left = position >> half_;
    std::uint64_t right = position & low_bits();
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const std::uint64_t next = left ^ noise(round, right);
      left = right;
      right = next;
    }
    return (left << half_) | right;
  }
  [[nodiscard]] RTINDEX_HD constexpr std::uint64_t backward(std::uint64_t position) const {
    std::uint64_t left = position >> half_;
    std::uint64_t right = position & low_bits();
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

// Ranks 0 .. size-1 with Zipf's law: rank r has weight 1 / (r + 1)^exponent. Drawn by rejection
// from the inverted integral of the weights (Hörmann and Derflinger, 1996): no table, and a draw
// depends on its position only. Host and device round logarithms differently, so that one draw in
// millions is a neighbouring rank there.
class Zipf {
 public:
  Zipf(std::uint64_t size, double exponent)
      : size_(size),
        exponent_(exponent),
        low_(integral(1.5) - 1),
        high_(integral(static_cast<double>(size) + 0.5)),
        sure_(2 - inverse(integral(2.5) - weight(2))) {}

  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint64_t seed,
                                                    std::uint64_t position) const {
    if (exponent_ == 0) return random_below(size_, seed, position);
    for (std::uint64_t attempt = 0;; ++attempt) {
      const double area = high_ + random_fraction(seed + attempt, position) * (low_ - high_);
      const double at = inverse(area);
      const double rank =
          std::fmax(1.0, std::fmin(std::floor(at + 0.5), static_cast<double>(size_)));
      if (rank - at <= sure_ || area >= integral(rank + 0.5) - weight(rank))
        return static_cast<std::uint64_t>(rank) - 1;
    }
  }

 private:
  [[nodiscard]] RTINDEX_HD double weight(double rank) const { return std::pow(rank, -exponent_); }
  // The integral of the weights from 1, and its inverse; the logarithm is the case of exponent 1.
  [[nodiscard]] RTINDEX_HD double integral(double rank) const {
    const double power = 1 - exponent_;
    const double logarithm = std::log(rank);
    return power == 0 ? logarithm : std::expm1(power * logarithm) / power;
  }
  [[nodiscard]] RTINDEX_HD double inverse(double area) const {
    const double power = 1 - exponent_;
    return std::exp(power == 0 ? area : std::log1p(std::fmax(-1.0, area * power)) / power);
  }

  std::uint64_t size_;
  double exponent_;
  double low_, high_;  // the area from which draws come
  double sure_;        // this near to a rank every draw is accepted
};

}  // namespace rtindex::bench
