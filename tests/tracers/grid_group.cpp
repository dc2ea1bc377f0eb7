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

TEST(GridGroup, ALevelHasAGroupForItsHighestKeyAndNoneBehindIt) {
  for (const std::uint64_t highest :
       {std::uint64_t{1000}, std::uint64_t{1} << 40, ~std::uint64_t{0}})
    for (const std::uint32_t keys : {2U, 256U, 100000U})
      for (const int keys_per_cell : {1, 12, 16}) {
        const GridLevel level = level_over(7, highest, 50, 50 + keys, keys_per_cell);
        const std::uint64_t last = level.spread(highest);
        EXPECT_LT(last, groups_of(level) * GridGroup::cells);
        EXPECT_GE(last, (groups_of(level) - 1) * GridGroup::cells);
        EXPECT_LE(last, cells_for(keys, keys_per_cell));
      }
}

}  // namespace
}  // namespace rtindex::test
