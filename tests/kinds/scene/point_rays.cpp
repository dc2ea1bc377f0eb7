#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "kinds/scene/point_cells.hpp"
#include "support/random.hpp"

namespace rtindex::test {
namespace {

std::vector<PackedKeys> random_columns(std::size_t columns, std::size_t rows, Random& random) {
  std::vector<PackedKeys> all;
  for (std::size_t c = 0; c < columns; ++c) {
    const std::uint64_t largest = random.one_in(3)   ? 5
                                  : random.one_in(2) ? ~std::uint64_t{0}
                                                     : std::uint64_t{1} << random.below(40);
    PackedKeys& keys = all.emplace_back(rows, largest);
    for (std::size_t i = 0; i < rows; ++i)
      keys.set(i, largest == ~std::uint64_t{0} ? random.bits() : random.bits() % (largest + 1));
  }
  return all;
}

TEST(PointRays, PassEachPointOfABoxOnce) {
  Random random(7);
  for (int turn = 0; turn < 40; ++turn) {
    const std::size_t columns = 2 + random.below(2);
    const std::size_t rows = 1 + random.below(3000);
    const std::vector<PackedKeys> points = random_columns(columns, rows, random);
    const PointCells cells(points);
    const PointSpace space = cells.space();
    const Array<std::uint32_t> places = cells.places(points);
    PointBox box{};
    for (std::size_t c = 0; c < columns; ++c) {
      const std::uint64_t one = points[c][random.below(rows)];
      const std::uint64_t other = points[c][random.below(rows)];
      box.keys[c] = {std::min(one, other), std::max(one, other)};
    }
    const BoxRays rays(space, box);
    std::vector<int> passed(rows, 0);
    for (std::uint64_t r = 0; r < rays.count(); ++r) {
      const PlaceRay cast = rays.ray(space, r);
      for (std::size_t i = 0; i < rows; ++i) passed[i] += cast.passes(places[i]) ? 1 : 0;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      const auto key_of = [&](std::uint32_t c) { return points[c][i]; };
      bool is_in = true;
      for (std::uint32_t c = 0; c < columns; ++c) is_in &= box.keys[c].contains(key_of(c));
      ASSERT_LE(passed[i], 1);
      ASSERT_EQ(passed[i] == 1 && rays.contains(space, box, places[i], key_of), is_in);
    }
  }
}

TEST(PointRays, RunAlongTheShortestSideThroughPrimitives) {
  std::vector<PackedKeys> points;
  for (int c = 0; c < 3; ++c) {
    PackedKeys& keys = points.emplace_back(std::size_t{1} << 14, 0xffffffffU);
    for (std::size_t i = 0; i < keys.size(); ++i) keys.set(i, i << 18);
  }
  const PointCells cells(points);
  const PointSpace space = cells.space();
  PointBox box{};
  box.keys[0] = {0, 0xffffffffU};
  box.keys[1] = {points[1][8000], points[1][8001]};
  box.keys[2] = {0, points[2][9000]};
  const BoxRays rays(space, box);
  EXPECT_EQ(rays.along, 1U);
  EXPECT_EQ(rays.count(), std::uint64_t{rays.cells(0)} * rays.cells(2));
  for (std::uint64_t i = 0; i < rays.count(); ++i) {
    const PlaceRay cast = rays.ray(space, i);
    const Aabb primitive = space.primitive_at(cast.place | rays.first[1] << space.axes[1].shift);
    EXPECT_LT(cast.ray.origin.y, primitive.lower.y);
    EXPECT_GT(cast.ray.origin.y + cast.ray.t_max, primitive.upper.y);
    EXPECT_TRUE(primitive.lower.x < cast.ray.origin.x && cast.ray.origin.x < primitive.upper.x);
    EXPECT_TRUE(primitive.lower.z < cast.ray.origin.z && cast.ray.origin.z < primitive.upper.z);
  }
}

TEST(PointCells, HaveAboutAsManyRowsEach) {
  std::vector<PackedKeys> points;
  for (int c = 0; c < 2; ++c) {
    PackedKeys& keys = points.emplace_back(std::size_t{1} << 12, ~std::uint64_t{0});
    for (std::size_t i = 0; i < keys.size(); ++i) keys.set(i, std::uint64_t{i} * i * i);
  }
  const PointCells cells(points);
  const PointSpace space = cells.space();
  EXPECT_EQ(space.axes[0].cells, 32U);
  std::vector<std::uint32_t> sizes(space.axes[0].cells, 0);
  for (std::size_t i = 0; i < points[0].size(); ++i) ++sizes[space.axes[0].cell_of(points[0][i])];
  EXPECT_EQ(*std::max_element(sizes.begin(), sizes.end()), 128U);
  EXPECT_EQ(*std::min_element(sizes.begin(), sizes.end()), 128U);
}

TEST(PointCells, OfAConstantColumnAreOneAndLeaveTheOthersMore) {
  std::vector<PackedKeys> points;
  for (int c = 0; c < 3; ++c) {
    PackedKeys& keys = points.emplace_back(std::size_t{1} << 12, 0xffffffffU);
    for (std::size_t i = 0; i < keys.size(); ++i) keys.set(i, c == 1 ? 77 : i);
  }
  const PointSpace space = PointCells(points).space();
  EXPECT_EQ(space.axes[1].cells, 2U);  // from 0 on, and from 77 on
  EXPECT_GE(space.axes[0].cells, 20U);
  EXPECT_GE(space.axes[2].cells, 20U);
}

}  // namespace
}  // namespace rtindex::test
