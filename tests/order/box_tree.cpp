// The order of points and the tree over it: what boxes find, and how little they read for it.

#include "order/box_tree.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "order/point_order.hpp"
#include "support/random.hpp"

namespace rtindex::test::box_trees {
namespace {

constexpr std::size_t rows = std::size_t{1} << 15;

// Makes the value of a column from those of the columns before it.
template <class Make>
std::vector<PackedKeys> points_of(std::size_t columns, const Make& make) {
  std::vector<PackedKeys> all;
  for (std::size_t c = 0; c < columns; ++c) all.emplace_back(rows, std::uint64_t{0xffffffff});
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t c = 0; c < columns; ++c)
      all[c].set(row, make(c, c == 0 ? 0 : all[c - 1][row]));
  return all;
}

// The number of matches and of blocks that a box around the point of each of some rows touches.
struct Reads {
  std::uint64_t matches = 0;
  std::uint64_t blocks = 0;
};

Reads reads_of(const std::vector<PackedKeys>& points, std::uint64_t width) {
  const Array<std::uint32_t> order = order_of_points(points, BoxTree::block_rows);
  const BoxTree tree(points, order.span());
  Reads reads;
  for (std::size_t row = 0; row < rows; row += rows / 64) {
    Box box;
    for (std::uint32_t c = 0; c < points.size(); ++c)
      box.add({points[c][row], points[c][row] + width, c});
    const BoxTree::Found found = tree.find(box);
    std::uint64_t matches = tree.count_rows(box, found.blocks.data(), found.blocks.size());
    for (const Match& run : found.runs) matches += run.size();
    std::uint64_t expected = 0;
    for (std::size_t other = 0; other < rows; ++other) {
      bool is_inside = true;
      for (const BoxSide& side : std::vector(box.sides.begin(), box.sides.begin() + box.count))
        is_inside = is_inside && points[side.column][other] >= side.lower &&
                    points[side.column][other] <= side.upper;
      expected += is_inside ? 1 : 0;
    }
    EXPECT_EQ(matches, expected);
    reads.matches += matches;
    reads.blocks += found.blocks.size();
  }
  return reads;
}

TEST(BoxTree, ReadsFewBlocksOfUniformColumns) {
  Random random(1);
  const auto points =
      points_of(3, [&](std::size_t, std::uint64_t) { return random.below(1 << 20); });
  EXPECT_LE(reads_of(points, 1 << 15).blocks, 64 * 8U);  // of 256 blocks each
}

TEST(BoxTree, ReadsFewBlocksOfCorrelatedColumns) {
  Random random(2);
  const auto points = points_of(3, [&](std::size_t column, std::uint64_t before) {
    return column == 0 ? random.below(1 << 20) : before + random.below(16);
  });
  EXPECT_LE(reads_of(points, 1 << 10).blocks, 64 * 4U);
}

// Half of the values of each column are equal, the others are spread over 2^31.
TEST(BoxTree, ReadsFewBlocksOfSkewedColumns) {
  Random random(3);
  const auto points = points_of(2, [&](std::size_t, std::uint64_t) {
    return random.one_in(2) ? 1000 : std::uint64_t{1} << random.below(31);
  });
  const Reads reads = reads_of(points, 10);
  EXPECT_LE(reads.blocks, 64 * 32U);
}

// Blocks of 1, 2, 4 and 8 bytes a key, and several of these in one column.
TEST(BoxTree, PacksKeysWithinBlocks) {
  Random random(5);
  constexpr std::uint64_t base = std::uint64_t{1} << 40;
  std::vector<PackedKeys> points;
  for (const std::uint64_t largest : {std::uint64_t{0}, std::uint64_t{0}, ~std::uint64_t{0}})
    points.emplace_back(rows, largest);
  for (std::size_t row = 0; row < rows; ++row) {
    points[0].set(row, 4'000'000'000 + random.below(200));
    points[1].set(row, random.below(50000));
    // Some are far away from all others, so that their blocks need more bytes.
    points[2].set(row, base + (row < 1000 ? random.below(base) : random.below(70000)));
  }
  const Array<std::uint32_t> order = order_of_points(points, BoxTree::block_rows);
  const BoxTree tree(points, order.span());
  EXPECT_LE(tree.key_bytes(), rows * (1 + 2 + 4));
  for (std::size_t c = 0; c < points.size(); ++c)
    for (std::size_t at = 0; at < rows; ++at) ASSERT_EQ(tree.key(c, at), points[c][order[at]]);
  EXPECT_GT(reads_of(points, 30).matches, 0U);
  EXPECT_GT(reads_of(points, 20000).matches, rows / 16);
}

TEST(BoxTree, ReturnsWholeNodesInsideOfTheBox) {
  Random random(4);
  const auto points =
      points_of(2, [&](std::size_t, std::uint64_t) { return random.below(1 << 20); });
  const Array<std::uint32_t> order = order_of_points(points, BoxTree::block_rows);
  const BoxTree tree(points, order.span());
  Box box;
  box.add({0, (1 << 20) - 1, 0});
  const BoxTree::Found found = tree.find(box);
  EXPECT_TRUE(found.blocks.empty());
  ASSERT_EQ(found.runs.size(), 1U);
  EXPECT_EQ(found.runs.front().size(), rows);
}

}  // namespace
}  // namespace rtindex::test::box_trees
