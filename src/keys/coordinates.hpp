#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "base/macros.hpp"

namespace rtindex {

// How an encoded key becomes coordinates (paper, section 3.2, tab:conversion).
enum class KeyMode : std::uint8_t { naive, extended, three_d };

struct Point {
  float x, y, z;
};

// The mode with its settings. In 3d mode the low bits are x, the next are y, the rest are z; keys
// that share y and z form a row, parallel to the x axis. Naive and extended mode are one row.
struct Coordinates {
  KeyMode mode = KeyMode::three_d;
  int bits_x = 23;
  int bits_y = 23;
  int bits_z = 18;
  float scale = 1.0F;  // a power of two

  // The paper's constant C for extended mode: keys start at coordinate 0.5.
  static constexpr std::uint32_t extended_start = std::bit_cast<std::uint32_t>(0.5F);

  // The largest key that the mode holds.
  [[nodiscard]] RTINDEX_HD constexpr std::uint64_t largest_key() const {
    switch (mode) {
      case KeyMode::naive: return (std::uint64_t{1} << 23) - 1;
      case KeyMode::extended: return (std::uint64_t{1} << 29) - 1;
      case KeyMode::three_d: break;
    }
    const int bits = bits_x + bits_y + bits_z;
    return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  }

  // The row of a key, and a key's place in its row.
  [[nodiscard]] RTINDEX_HD constexpr std::uint64_t row_of(std::uint64_t key) const {
    return mode == KeyMode::three_d ? key >> bits_x : 0;
  }
  [[nodiscard]] RTINDEX_HD constexpr std::uint32_t place_of(std::uint64_t key) const {
    if (mode != KeyMode::three_d) return static_cast<std::uint32_t>(key);
    return static_cast<std::uint32_t>(key & ((std::uint64_t{1} << bits_x) - 1));
  }
  // The last place of a row.
  [[nodiscard]] RTINDEX_HD constexpr std::uint32_t last_place() const {
    return mode == KeyMode::three_d ? static_cast<std::uint32_t>((std::uint64_t{1} << bits_x) - 1)
                                    : static_cast<std::uint32_t>(largest_key());
  }

  [[nodiscard]] RTINDEX_HD float x_of(std::uint32_t place) const {
    if (mode == KeyMode::extended) return std::bit_cast<float>(2 * place + extended_start) * scale;
    return static_cast<float>(place) * scale;
  }
  [[nodiscard]] RTINDEX_HD float y_of(std::uint64_t row) const {
    return static_cast<float>(row & ((std::uint64_t{1} << bits_y) - 1)) * scale;
  }
  [[nodiscard]] RTINDEX_HD float z_of(std::uint64_t row) const {
    return static_cast<float>(row >> bits_y) * scale;
  }
  [[nodiscard]] RTINDEX_HD Point point_of(std::uint64_t key) const {
    const std::uint64_t row = row_of(key);
    return {x_of(place_of(key)), y_of(row), z_of(row)};
  }

  // The gap before and after a place, where rays may begin and end (tab:conversion, "Gap
  // Creation").
  [[nodiscard]] RTINDEX_HD float gap_before(std::uint32_t place) const {
    if (mode == KeyMode::extended)
      return std::bit_cast<float>(2 * place + extended_start - 1) * scale;
    return (static_cast<float>(place) - 0.5F) * scale;
  }
  [[nodiscard]] RTINDEX_HD float gap_after(std::uint32_t place) const {
    if (mode == KeyMode::extended)
      return std::bit_cast<float>(2 * place + extended_start + 1) * scale;
    return (static_cast<float>(place) + 0.5F) * scale;
  }
};

}  // namespace rtindex
