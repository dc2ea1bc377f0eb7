// The boxes of intervals in a scene.

#include "kinds/scene/interval_boxes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "support/random.hpp"

namespace rtindex::test {
namespace {

bool holds(const Aabb& box, const Point& point) {
  return box.lower.x <= point.x && point.x <= box.upper.x && box.lower.y <= point.y &&
         point.y <= box.upper.y && box.lower.z <= point.z && point.z <= box.upper.z;
}

TEST(IntervalBoxes, HoldEveryKeyOfAnIntervalOnce) {
  constexpr Coordinates coordinates{.bits_x = 2, .bits_y = 2, .bits_z = 3};
  constexpr std::uint64_t last = 127;
  for (std::uint64_t lower = 0; lower <= last; ++lower)
    for (std::uint64_t upper = lower; upper <= last; ++upper) {
      Interval boxes[max_interval_boxes];
      const int count = boxes_of(coordinates, {lower, upper}, boxes);
      ASSERT_LE(count, max_interval_boxes);
      for (std::uint64_t key = 0; key <= last; ++key) {
        int by_keys = 0;
        int by_coordinates = 0;
        for (int i = 0; i < count; ++i) {
          by_keys += boxes[i].contains(key) ? 1 : 0;
          by_coordinates +=
              holds(box_between(coordinates, boxes[i]), coordinates.point_of(key)) ? 1 : 0;
        }
        const int wanted = lower <= key && key <= upper ? 1 : 0;
        ASSERT_EQ(by_keys, wanted) << lower << " to " << upper << ", key " << key;
        ASSERT_EQ(by_coordinates, wanted) << lower << " to " << upper << ", key " << key;
      }
    }
}

TEST(IntervalBoxes, CoverWideIntervalsWithoutGaps) {
  constexpr Coordinates coordinates{};
  constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  Random random(5);
  for (int round = 0; round < 1000; ++round) {
    Interval interval{random.bits() >> random.between(0, 63),
                      random.bits() >> random.between(0, 63)};
    if (round == 0) interval = {0, last};
    if (round == 1) interval = {1, last - 1};
    if (interval.empty()) std::swap(interval.lower, interval.upper);
    Interval boxes[max_interval_boxes];
    const int count = boxes_of(coordinates, interval, boxes);
    ASSERT_EQ(boxes[0].lower, interval.lower);
    ASSERT_EQ(boxes[count - 1].upper, interval.upper);
    for (int i = 0; i + 1 < count; ++i) ASSERT_EQ(boxes[i].upper + 1, boxes[i + 1].lower);
  }
}

TEST(IntervalBoxes, OfOneRowAreOne) {
  constexpr Coordinates naive{.mode = KeyMode::naive};
  Interval boxes[max_interval_boxes];
  EXPECT_EQ(boxes_of(naive, {5, naive.largest_key()}, boxes), 1);
  EXPECT_EQ(boxes_of(Coordinates{}, {5, 7}, boxes), 1);
}

// Every match contains the key of the perpendicular ray, or starts in the range behind it; never
// both.
TEST(IntervalRays, HitEveryMatchOnce) {
  constexpr std::uint64_t last = 6;
  std::vector<Interval> all = {{1, 0}};
  for (std::uint64_t lower = 0; lower <= last; ++lower)
    for (std::uint64_t upper = lower; upper <= last; ++upper) all.push_back({lower, upper});
  for (const Interval& starts : all)
    for (const Interval& ends : all) {
      const IntervalRays rays = interval_rays(starts, ends);
      for (const Interval& interval : all) {
        const bool is_match = !interval.empty() && !starts.empty() && !ends.empty() &&
                              starts.contains(interval.lower) && ends.contains(interval.upper);
        if (!is_match) continue;
        const int hits = (rays.has_key && interval.contains(rays.key) ? 1 : 0) +
                         (rays.behind.contains(interval.lower) ? 1 : 0);
        ASSERT_EQ(hits, 1) << interval.lower << " to " << interval.upper;
      }
      if (!starts.empty() && !ends.empty()) continue;
      ASSERT_FALSE(rays.has_key);
      ASSERT_TRUE(rays.behind.empty());
    }
}

TEST(IntervalRays, ReachTheLargestKey) {
  constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  const IntervalRays rays = interval_rays({0, last}, {last, last});
  EXPECT_TRUE(rays.has_key);
  EXPECT_EQ(rays.key, last);
  EXPECT_TRUE(rays.behind.empty());
}

}  // namespace
}  // namespace rtindex::test
