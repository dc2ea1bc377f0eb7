#include "keys/coordinates.hpp"

#include <gtest/gtest.h>

#include "kinds/scene/scene_cases.hpp"

namespace rtindex::test {
namespace {

class CoordinatesTest : public testing::TestWithParam<Coordinates> {
 protected:
  const Coordinates coordinates = GetParam();
};

TEST_P(CoordinatesTest, AscendWithThePosition) {
  for (const std::uint32_t place : places(coordinates)) {
    if (place == coordinates.last_place()) continue;
    ASSERT_LT(coordinates.x_of(place), coordinates.x_of(place + 1)) << place;
  }
}

TEST_P(CoordinatesTest, HaveGapsStrictlyBetweenNeighbours) {
  for (const std::uint32_t place : places(coordinates)) {
    ASSERT_LT(coordinates.gap_before(place), coordinates.x_of(place)) << place;
    ASSERT_GT(coordinates.gap_after(place), coordinates.x_of(place)) << place;
    if (place == coordinates.last_place()) continue;
    ASSERT_LT(coordinates.gap_after(place), coordinates.x_of(place + 1)) << place;
    ASSERT_GT(coordinates.gap_before(place + 1), coordinates.x_of(place)) << place;
  }
}

TEST_P(CoordinatesTest, DistinguishEveryKeyFromItsNeighbours) {
  for (const std::uint64_t key : boundary_keys(coordinates)) {
    const Point p = coordinates.point_of(key);
    if (key == coordinates.largest_key()) continue;
    const Point q = coordinates.point_of(key + 1);
    ASSERT_TRUE(p.x != q.x || p.y != q.y || p.z != q.z) << key;
    // Later keys come later: by z, then y, then x.
    ASSERT_TRUE(p.z < q.z || (p.z == q.z && (p.y < q.y || (p.y == q.y && p.x < q.x)))) << key;
  }
}

TEST_P(CoordinatesTest, DecomposeAKeyWithoutLoss) {
  for (const std::uint64_t key : boundary_keys(coordinates)) {
    const std::uint64_t row = coordinates.row_of(key);
    const std::uint32_t place = coordinates.place_of(key);
    ASSERT_LE(place, coordinates.last_place());
    if (coordinates.mode != KeyMode::three_d) {
      ASSERT_EQ(row, 0U);
      ASSERT_EQ(place, key);
      continue;
    }
    ASSERT_EQ(row << coordinates.bits_x | place, key);
    const auto y = static_cast<std::uint64_t>(coordinates.y_of(row) / coordinates.scale);
    const auto z = static_cast<std::uint64_t>(coordinates.z_of(row) / coordinates.scale);
    ASSERT_EQ(z << coordinates.bits_y | y, row);
    ASSERT_EQ(static_cast<std::uint64_t>(coordinates.x_of(place) / coordinates.scale), place);
  }
}

INSTANTIATE_TEST_SUITE_P(Scene, CoordinatesTest, testing::ValuesIn(scene_cases()), case_name);

TEST(Coordinates, OfThePapersTable) {
  const Coordinates naive{.mode = KeyMode::naive};
  EXPECT_EQ(naive.largest_key(), (1U << 23) - 1);
  EXPECT_EQ(naive.x_of(25), 25.0F);
  EXPECT_EQ(naive.gap_before(25), 24.5F);
  const Coordinates extended{.mode = KeyMode::extended};
  EXPECT_EQ(extended.largest_key(), (1U << 29) - 1);
  EXPECT_EQ(extended.x_of(0), 0.5F);
  EXPECT_EQ(extended.gap_after(0), std::bit_cast<float>(std::bit_cast<std::uint32_t>(0.5F) + 1));
  const Coordinates wide;
  EXPECT_EQ(wide.largest_key(), ~std::uint64_t{0});
  const Point p = wide.point_of(~std::uint64_t{0});
  EXPECT_EQ(p.x, 8388607.0F);
  EXPECT_EQ(p.y, 8388607.0F);
  EXPECT_EQ(p.z, 262143.0F);
}

}  // namespace
}  // namespace rtindex::test
