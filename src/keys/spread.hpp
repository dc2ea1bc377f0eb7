#pragma once

#include <cstddef>
#include <cstdint>

#include "base/macros.hpp"
#include "base/wide.hpp"

namespace rtindex {

// Spreads the keys lowest..highest evenly over bins, in order. Where there are no more keys than
// bins, each key has a bin of its own.
class Spread {
 public:
  Spread() = default;
  RTINDEX_HD Spread(std::uint64_t lowest, std::uint64_t highest, std::uint64_t bins)
      : lowest_(lowest) {
    const std::uint64_t width = highest - lowest;
    if (width < bins) return;
    const uint128 keys = static_cast<uint128>(width) + 1;
    factor_ = static_cast<std::uint64_t>((static_cast<uint128>(bins) << 64) / keys);
  }

  // From the two words that it has in memory.
  [[nodiscard]] static RTINDEX_HD Spread from_words(std::uint64_t lowest, std::uint64_t factor) {
    Spread spread;
    spread.lowest_ = lowest;
    spread.factor_ = factor;
    return spread;
  }

  [[nodiscard]] RTINDEX_HD std::uint64_t lowest() const { return lowest_; }
  // Every bin holds one key.
  [[nodiscard]] RTINDEX_HD bool is_identity() const { return factor_ == 0; }

  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint64_t key) const {
    const std::uint64_t offset = key - lowest_;
    if (factor_ == 0) return offset;
#if defined(__CUDA_ARCH__)
    return __umul64hi(offset, factor_);
#else
    return multiply_high(offset, factor_);
#endif
  }

  // How far into its bin a key lies, as a fraction of 2^32.
  [[nodiscard]] RTINDEX_HD std::uint32_t within_bin(std::uint64_t key) const {
    return static_cast<std::uint32_t>((key - lowest_) * factor_ >> 32);
  }

 private:
  std::uint64_t lowest_ = 0;
  std::uint64_t factor_ = 0;  // bins / keys, as a fraction of 2^64; 0: one bin per key
};

}  // namespace rtindex
