// Numbers of 128 bits as doubles, against the compiler.

#include "base/wide.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "support/random.hpp"

namespace rtindex {
namespace {

TEST(Wide, IsTheClosestDouble) {
  test::Random random(3);
  const auto expect = [](int128 number) {
    ASSERT_EQ(to_double(number), static_cast<double>(number));
    ASSERT_EQ(to_double(-number), static_cast<double>(-number));
  };
  expect(0);
  for (int shift = 0; shift < 126; ++shift) {
    const int128 power = int128{1} << shift;
    for (int offset = -2; offset <= 2; ++offset) expect(power + offset);
    // Halfway between two doubles, and next to that.
    if (shift < 54) continue;
    const int128 half = int128{1} << (shift - 53);
    for (int offset = -1; offset <= 1; ++offset) {
      expect(power + half + offset);
      expect(power + 3 * half + offset);
    }
    for (int i = 0; i < 20; ++i)
      expect(power +
             static_cast<int128>((static_cast<uint128>(random.below(~std::uint64_t{0})) << 64 |
                                  random.below(~std::uint64_t{0})) &
                                 (static_cast<uint128>(power) - 1)));
  }
}

}  // namespace
}  // namespace rtindex
