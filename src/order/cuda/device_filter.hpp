#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cuda/device_array.hpp"
#include "base/macros.hpp"

namespace rtindex::cuda {

class DeviceOrder;

// A Bloom filter of the keys of a column, two bits of one word for each key. Passed to kernels by
// value.
struct KeyFilter {
  static constexpr std::size_t bits_per_key = 8;
  static constexpr std::size_t word_bits = 32;

  const std::uint32_t* words = nullptr;  // null: every key passes
  std::uint32_t count = 0;

  // The bits of an encoded key.
  struct Bits {
    std::uint32_t word;
    std::uint32_t bits;
  };
  [[nodiscard]] RTINDEX_HD Bits bits_of(std::uint64_t key) const {
    std::uint64_t mixed = key * 0x9e3779b97f4a7c15ULL;
    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93ULL;
    const auto high = static_cast<std::uint32_t>(mixed >> 32);
    const auto low = static_cast<std::uint32_t>(mixed);
    return {static_cast<std::uint32_t>(std::uint64_t{high} * count >> 32),
            1U << (low >> 27) | 1U << (low >> 22 & 31)};
  }

  [[nodiscard]] static std::size_t words_for(std::size_t keys) {
    return keys * bits_per_key / word_bits + 1;
  }
};

// The filter of a column in key order.
class DeviceFilter {
 public:
  DeviceFilter() = default;
  explicit DeviceFilter(DeviceArray<std::uint32_t> words) : words_(std::move(words)) {}

  [[nodiscard]] KeyFilter view() const {
    return {words_.data(), static_cast<std::uint32_t>(words_.size())};
  }
  [[nodiscard]] std::size_t bytes() const { return words_.bytes(); }

 private:
  DeviceArray<std::uint32_t> words_;
};

// A filter of all keys, before the order releases them.
[[nodiscard]] DeviceFilter build_filter(const DeviceOrder& order, const Queue& queue);

}  // namespace rtindex::cuda
