#include "kinds/grid/grid_group.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace rtindex::test {
namespace {

TEST(GridGroup, RoundTrips) {
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

TEST(GridGroup, WithTooManyKeysIsSearched) {
  const std::uint32_t begin = 0x12345678U;
  for (const std::uint32_t keys : {256U, 0x00fedcbaU}) {
    const GridGroup group = finished_group({}, begin, begin + keys);
    GroupWords words{};
    std::memcpy(&words, &group, sizeof(group));
    EXPECT_EQ(words.kind(), GridGroup::Kind::search);
    EXPECT_EQ(words.begin(), begin);
    EXPECT_EQ(words.end(), begin + keys);
  }
}

TEST(GridLayout, HasEnoughCellsForAllKeys) {
  for (const std::uint64_t keys : {0, 1, 11, 12}) EXPECT_EQ(cells_for(keys, 12), 1U) << keys;
  for (const std::uint64_t keys : {13, 23, 24}) EXPECT_EQ(cells_for(keys, 12), 2U) << keys;
  EXPECT_EQ(cells_for(7, 1), 7U);
}

TEST(GridLayout, HasAGroupForTheHighestKeyOfEachPieceAndNoneBehindIt) {
  for (const std::uint64_t span : {std::uint64_t{1000}, std::uint64_t{1} << 40, ~std::uint64_t{0}})
    for (const int keys_per_cell : {1, 12, 16}) {
      const std::vector<KeyPiece> pieces = {{0, 0, 1}, {7, 5, 1}, {500, 100000, 3}};
      const GridLayout layout = lay_out_grid(pieces, 200000, span, keys_per_cell);
      ASSERT_EQ(layout.pieces.size(), pieces.size());
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        const bool is_last = i + 1 == pieces.size();
        const std::uint64_t highest = is_last ? span : pieces[i + 1].first - 1;
        const std::uint64_t last = layout.pieces[i].spread(highest);
        const std::uint64_t groups = (is_last ? layout.groups : layout.pieces[i + 1].first_group) -
                                     layout.pieces[i].first_group;
        EXPECT_EQ(groups, last / GridGroup::cells + 1);
      }
    }
}

TEST(GridLayout, HasSmallerCellsWhereKeysAreCrowded) {
  const std::uint64_t span = std::uint64_t{1} << 40;
  const auto groups = [&](float crowding) {
    return lay_out_grid({{0, 0, crowding}}, 100000, span, 12).groups;
  };
  EXPECT_GT(groups(2), groups(1));
}

}  // namespace
}  // namespace rtindex::test
