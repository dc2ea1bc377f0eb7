#include "tracers/native/grid_group.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace rtindex::test {
namespace {

TEST(GridGroup, IsTakenApartAsItWasWritten) {
  GridGroup group{};
  group.begin = 0xfedcba98U;
  for (std::uint32_t j = 0; j < 28; ++j) group.bounds[j] = static_cast<std::uint8_t>(j * 9);
  GroupWords words{};
  std::memcpy(&words, &group, sizeof(group));
  EXPECT_EQ(words.begin(), group.begin);
  EXPECT_EQ(words.kind(), GridGroup::Kind::cells);
  for (std::uint32_t j = 0; j < 28; ++j) EXPECT_EQ(words.bound(j), group.bounds[j]) << j;
}

TEST(GridGroup, NamesItsLevel) {
  GridGroup group{};
  group.bounds[0] = static_cast<std::uint8_t>(GridGroup::Kind::refined);
  const std::uint32_t level = 0x12345678U;
  for (int byte = 0; byte < 4; ++byte)
    group.bounds[group_other_at + static_cast<std::uint32_t>(byte)] =
        static_cast<std::uint8_t>(level >> (8 * byte));
  GroupWords words{};
  std::memcpy(&words, &group, sizeof(group));
  EXPECT_EQ(words.kind(), GridGroup::Kind::refined);
  EXPECT_EQ(words.other(), level);
}

}  // namespace
}  // namespace rtindex::test
