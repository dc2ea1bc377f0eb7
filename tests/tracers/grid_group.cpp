#include "tracers/native/grid_group.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace rtindex::test {
namespace {

TEST(GridGroup, IsTakenApartAsItWasWritten) {
  GridGroup group{};
  group.begin = 0xfedcba98U;
  for (std::uint32_t j = 0; j <= GridGroup::cells; ++j)
    group.bounds[j] = static_cast<std::uint8_t>(j * 23);
  GroupWords words{};
  std::memcpy(&words, &group, sizeof(group));
  EXPECT_EQ(words.begin(), group.begin);
  EXPECT_EQ(words.kind(), GridGroup::Kind::cells);
  for (std::uint32_t j = 0; j <= GridGroup::cells; ++j)
    EXPECT_EQ(words.bound(j), group.bounds[j]) << j;
}

TEST(GridGroup, NamesItsLevel) {
  GridGroup group{};
  const std::uint32_t level = 0x12345678U;
  set_other(group, GridGroup::Kind::refined, level);
  GroupWords words{};
  std::memcpy(&words, &group, sizeof(group));
  EXPECT_EQ(words.kind(), GridGroup::Kind::refined);
  EXPECT_EQ(words.other(), level);
}

}  // namespace
}  // namespace rtindex::test
