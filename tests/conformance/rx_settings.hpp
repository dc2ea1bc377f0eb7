#pragma once

// The settings of rx that decide about geometry, and what they must hold and reject. Written down
// here once more, from the paper and from what Embree was seen to do, not taken from the library.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "support/random.hpp"
#include "support/test_column.hpp"

namespace rtindex::test {

using Split = std::array<int, 3>;

// OptiX finds boxes and spheres only up to this coordinate.
inline constexpr double optix_limit = 0x1p40;

struct RxGeometry {
  std::string mode = "3d";
  Split bits = {23, 23, 18};
  std::string primitive = "triangle";
  int scale = 0;  // a power of two
  // The tracer's largest coordinate; Embree's, where nothing else is said.
  double coordinate_limit = 1.844e18;

  [[nodiscard]] std::string text() const {
    std::string text =
        "mode=" + mode + ",primitive=" + primitive + ",scale=2^" + std::to_string(scale);
    if (mode == "3d")
      text += ",bits=" + std::to_string(bits[0]) + "+" + std::to_string(bits[1]) + "+" +
              std::to_string(bits[2]);
    return text;
  }

  // Bits of the key within one row.
  [[nodiscard]] int row_bits() const { return mode == "3d" ? bits[0] : 29; }

  // The largest difference between two keys of a column that is still exact.
  [[nodiscard]] std::uint64_t largest_span() const {
    if (mode == "extended") return largest_extended();
    const int most = axis_bits();
    if (mode == "naive") return power(most) - 1;
    // No coordinate may reach the end of an axis; a key that fills a wider one does.
    const auto [x, y, z] = bits;
    if (x > most) return power(most) - 1;
    if (y > most) return power(x + most) - 1;
    if (z > most) return power(x + y + most) - 1;
    return power(x + y + z) - 1;
  }

 private:
  // Spheres are exact up to 2^22, all else up to 2^23; scaled, no further than the tracer goes.
  [[nodiscard]] int axis_bits() const {
    const int within = static_cast<int>(std::floor(std::log2(coordinate_limit))) - scale;
    return std::min(within, primitive == "sphere" ? 22 : 23);
  }

  [[nodiscard]] static std::uint64_t power(int bits) {
    return bits == 64 ? 0 : std::uint64_t{1} << bits;
  }

  // Key k of extended mode lies at the float whose bits are those of 0.5 plus 2k; the next float
  // must be one that the tracer takes.
  [[nodiscard]] std::uint64_t largest_extended() const {
    const auto limit = static_cast<float>(std::ldexp(coordinate_limit, -scale));
    std::uint64_t largest = (std::uint64_t{1} << 29) - 1;
    const auto steps = std::bit_cast<std::uint32_t>(limit) - std::bit_cast<std::uint32_t>(0.5F);
    return std::min<std::uint64_t>(largest, (steps - 2) / 2);
  }
};

inline void PrintTo(const RxGeometry& geometry, std::ostream* out) { *out << geometry.text(); }

// Keys where the geometry has its corners, all up to `largest`: the ends and the middle of every
// axis, the powers of two where floats get coarser, and the top of the key space; some twice.
[[nodiscard]] inline std::vector<Whole> corner_keys(const RxGeometry& geometry,
                                                    std::uint64_t largest, Random& random) {
  std::vector<Whole> keys = {0, 0, 1, 2, 3};
  auto add = [&](Whole key) {
    if (0 <= key && key <= static_cast<Whole>(largest)) keys.push_back(key);
  };
  if (geometry.mode == "3d") {
    const auto [x, y, z] = geometry.bits;
    auto places = [&](int bits) {
      const Whole size = Whole{1} << bits;
      return std::vector<Whole>{0, 1, size / 2 - 1, size / 2, size - 2, size - 1};
    };
    for (const Whole i : places(x))
      for (const Whole j : places(y))
        for (const Whole k : places(z)) {
          if (i < 0 || j < 0 || k < 0) continue;
          if (i < Whole{1} << x && j < Whole{1} << y && k < Whole{1} << z)
            add(((k << y | j) << x) | i);
        }
  }
  for (int bits = 17; bits < 24; ++bits)
    for (int step = -2; step < 3; ++step) add((Whole{1} << bits) + step);
  for (int octave = 1; octave < 128; octave += 9)  // where extended mode's floats get coarser
    for (int step = -2; step < 3; ++step) add((Whole{1} << 22) * octave + step);
  for (int i = 0; i < 40; ++i) {
    add(static_cast<Whole>(largest) - i);
    add(static_cast<Whole>(largest) - random.between(0, Whole{1} << 22));
    add(random.between(0, static_cast<Whole>(largest)));
  }
  random.shuffle(keys);
  return keys;
}

}  // namespace rtindex::test
