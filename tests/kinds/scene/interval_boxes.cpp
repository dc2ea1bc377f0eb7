// The boxes of intervals in a scene.

#include "kinds/scene/interval_boxes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "support/random.hpp"

namespace rtindex::test {
namespace {

bool holds(const Box& box, const Point& point) {
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

}  // namespace
}  // namespace rtindex::test
