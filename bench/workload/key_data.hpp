#pragma once

#include <cstddef>
#include <cstdint>

#include "base/macros.hpp"

namespace rtindex::bench {

// 32-bit or 64-bit keys in the memory of a host or a device: what code that runs there gets.
struct KeyData {
  void* data = nullptr;
  int bits = 64;

  [[nodiscard]] RTINDEX_HD std::uint64_t operator[](std::size_t place) const {
    return bits == 32 ? static_cast<const std::uint32_t*>(data)[place]
                      : static_cast<const std::uint64_t*>(data)[place];
  }
  RTINDEX_HD void set(std::size_t place, std::uint64_t key) const {
    if (bits == 32)
      static_cast<std::uint32_t*>(data)[place] = static_cast<std::uint32_t>(key);
    else
      static_cast<std::uint64_t*>(data)[place] = key;
  }
  [[nodiscard]] RTINDEX_HD std::size_t width() const { return static_cast<std::size_t>(bits) / 8; }
  // The keys from `first` on.
  [[nodiscard]] RTINDEX_HD KeyData from(std::size_t first) const {
    return {static_cast<char*>(data) + first * width(), bits};
  }
};

}  // namespace rtindex::bench
