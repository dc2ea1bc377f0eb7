#include "kinds/scene/primitives.hpp"

#include <gtest/gtest.h>

#include "kinds/scene/exact_hit.hpp"
#include "kinds/scene/scene_cases.hpp"

namespace rtindex::test {
namespace {

class Primitives : public testing::TestWithParam<Coordinates> {
 protected:
  const Coordinates coordinates = GetParam();
};

// A line through the key's point along x or z, the directions that rays have.
Ray line_through(const Point& p, bool along_x) {
  Ray ray{p, {0, 0, 1}, 0, 0, true};
  if (along_x) ray.direction = {1, 0, 0};
  return ray;
}

TEST_P(Primitives, TrianglesHoldTheirPointStrictlyInside) {
  for (const std::uint64_t key : boundary_keys(coordinates)) {
    const Triangle triangle = triangle_at(coordinates, key);
    for (const bool along_x : {true, false})
      ASSERT_TRUE(exact_hit(line_through(coordinates.point_of(key), along_x), triangle))
          << "key " << key << (along_x ? " along x" : " along z");
  }
}

TEST_P(Primitives, TrianglesKeepOffTheLinesOfTheirNeighbours) {
  for (const std::uint64_t key : boundary_keys(coordinates)) {
    if (key == coordinates.largest_key()) continue;
    const Ray line = line_through(coordinates.point_of(key), false);
    ASSERT_FALSE(exact_hit(line, triangle_at(coordinates, key + 1))) << key;
    const Ray next = line_through(coordinates.point_of(key + 1), false);
    ASSERT_FALSE(exact_hit(next, triangle_at(coordinates, key))) << key;
  }
}

TEST_P(Primitives, AreFiniteAndDoNotOverlapAlongTheirRow) {
  for (const std::uint32_t place : places(coordinates)) {
    const Triangle triangle = triangle_at(coordinates, place);
    for (const Point& p : {triangle.a, triangle.b, triangle.c})
      ASSERT_TRUE(std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z)) << place;
    if (place == coordinates.last_place()) continue;
    ASSERT_LE(triangle.c.x, triangle_at(coordinates, place + 1).a.x) << place;
  }
}

TEST_P(Primitives, BoxesHoldTheTriangle) {
  for (const std::uint64_t key : boundary_keys(coordinates)) {
    const Triangle triangle = triangle_at(coordinates, key);
    const Aabb box = box_at(coordinates, key);
    for (const Point& p : {triangle.a, triangle.b, triangle.c}) {
      ASSERT_LE(box.lower.x, p.x);
      ASSERT_LE(box.lower.y, p.y);
      ASSERT_LE(box.lower.z, p.z);
      ASSERT_GE(box.upper.x, p.x);
      ASSERT_GE(box.upper.y, p.y);
      ASSERT_GE(box.upper.z, p.z);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scene, Primitives, testing::ValuesIn(scene_cases()), case_name);

TEST(Primitives, SpheresLeaveAGapForRaysToStartIn) {
  EXPECT_LT(sphere_radius, 0.5F);
  // Below the limit a sphere's surface is a float of its own.
  const auto largest = static_cast<float>(sphere_axis_limit - 1);
  EXPECT_LT(largest, largest + sphere_radius);
  EXPECT_EQ((largest + sphere_radius) - largest, sphere_radius);
}

TEST(ExactHit, DistinguishesHitsFromMisses) {
  const Triangle triangle{{-1, 1, -1}, {-1, -1, -1}, {1, 0, 1}};
  EXPECT_TRUE(hits({{0, 0, -2}, {0, 0, 1}, 0, 3, true}, triangle));
  EXPECT_FALSE(hits({{0, 0, -2}, {0, 0, 1}, 0, 1, true}, triangle));
  EXPECT_FALSE(hits({{0, 5, -2}, {0, 0, 1}, 0, 3, true}, triangle));
  EXPECT_FALSE(hits({{-1, 0, -2}, {0, 0, 1}, 0, 3, true}, triangle));  // on an edge
}

}  // namespace
}  // namespace rtindex::test
