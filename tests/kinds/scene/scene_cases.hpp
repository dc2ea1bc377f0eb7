#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "keys/coordinates.hpp"

namespace rtindex::test {

// Every mode, with splits that end on every kind of border, at three scales.
[[nodiscard]] inline std::vector<Coordinates> scene_cases() {
  std::vector<Coordinates> cases;
  for (const float scale : {1.0F, 0x1p20F, 0x1p-20F}) {
    cases.push_back({.mode = KeyMode::naive, .scale = scale});
    // At 2^20 and 2^0 the largest keys of extended mode exceed the largest coordinate of a tracer,
    // but not float32.
    if (scale <= 1.0F) cases.push_back({.mode = KeyMode::extended, .scale = scale});
    for (const auto& [x, y, z] : std::vector<std::tuple<int, int, int>>{{23, 23, 18},
                                                                        {22, 22, 20},
                                                                        {18, 23, 23},
                                                                        {2, 20, 20},
                                                                        {0, 23, 23},
                                                                        {1, 23, 23},
                                                                        {23, 0, 0}})
      cases.push_back({KeyMode::three_d, x, y, z, scale});
  }
  return cases;
}

[[nodiscard]] inline std::string name_of_case(const Coordinates& c) {
  const std::string scale = c.scale == 1 ? "" : c.scale > 1 ? "_large" : "_small";
  if (c.mode == KeyMode::naive) return "naive" + scale;
  if (c.mode == KeyMode::extended) return "extended" + scale;
  return "bits_" + std::to_string(c.bits_x) + "_" + std::to_string(c.bits_y) + "_" +
         std::to_string(c.bits_z) + scale;
}

[[nodiscard]] inline std::string case_name(const testing::TestParamInfo<Coordinates>& info) {
  return name_of_case(info.param);
}

// Places of a row where floats change their spacing, and its ends.
[[nodiscard]] inline std::vector<std::uint32_t> places(const Coordinates& coordinates) {
  const std::uint64_t last = coordinates.last_place();
  std::vector<std::uint32_t> result;
  auto add = [&](std::uint64_t place) {
    if (place <= last) result.push_back(static_cast<std::uint32_t>(place));
  };
  for (std::uint64_t step = 0; step < 4; ++step) {
    add(step);
    add(last - std::min(step, last));
    for (int bits = 2; bits < 30; ++bits) add((std::uint64_t{1} << bits) - 2 + step);
    for (std::uint64_t octave = 1; octave < 128; ++octave) add((octave << 22) - 2 + step);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

// Keys at the borders of places, of rows and of planes.
[[nodiscard]] inline std::vector<std::uint64_t> boundary_keys(const Coordinates& coordinates) {
  std::vector<std::uint64_t> rows = {0};
  if (coordinates.mode == KeyMode::three_d) {
    const std::uint64_t last = coordinates.row_of(coordinates.largest_key());
    for (const std::uint64_t row :
         {std::uint64_t{1}, std::uint64_t{1} << 21, (std::uint64_t{1} << 22) - 1,
          std::uint64_t{1} << 22, (std::uint64_t{1} << 23) - 1, std::uint64_t{1} << 23,
          (std::uint64_t{1} << 40) + 12345, last / 2, last - 1, last})
      if (row <= last) rows.push_back(row);
  }
  std::vector<std::uint64_t> keys;
  for (const std::uint64_t row : rows)
    for (const std::uint32_t place : places(coordinates))
      keys.push_back(coordinates.mode == KeyMode::three_d ? row << coordinates.bits_x | place
                                                          : place);
  return keys;
}

}  // namespace rtindex::test

namespace rtindex {

// What googletest prints for a case.
inline void PrintTo(const Coordinates& coordinates, std::ostream* out) {
  *out << test::name_of_case(coordinates);
}

}  // namespace rtindex
