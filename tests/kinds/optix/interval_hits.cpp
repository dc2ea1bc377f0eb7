// What the device programs of intervals do with hits, tried on the host.

#include "kinds/optix/programs/interval_hits.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace rtindex::optix {
namespace {

// Three intervals: 2 to 9 as two boxes, 4 to 4, and 6 to 8.
class OptixIntervalHits : public testing::Test {
 protected:
  OptixIntervalHits() {
    params_.scene.keys = starts_.data();
    params_.scene.rows = rows_.data();
    params_.intervals.ends = ends_.data();
    params_.intervals.intervals = intervals_.data();
    params_.intervals.box_keys = boxes_.data();
  }

  [[nodiscard]] IntervalHits query(Interval starts, Interval ends) const {
    IntervalHits made{};
    made.hits = Hits::none(params_, 0);
    made.starts = starts;
    made.ends = ends;
    return made;
  }
  // The rows that a ray finds, whose traversal offers every primitive.
  std::uint32_t cast(IntervalHits& query, bool in_boxes, Interval ray_keys) const {
    query.in_boxes = in_boxes;
    query.hits.ray_keys = ray_keys;
    const std::uint32_t before = query.hits.rows.count;
    const std::size_t primitives = in_boxes ? boxes_.size() : starts_.size();
    for (std::uint32_t i = 0; i < primitives && !query.hits.done; ++i)
      if (query.is_hit(params_, i)) query.add(params_, i);
    return query.hits.rows.count - before;
  }

  std::vector<std::uint32_t> starts_ = {2, 4, 6};
  std::vector<std::uint32_t> ends_ = {9, 4, 8};
  std::vector<std::uint32_t> rows_ = {10, 20, 30};
  std::vector<std::uint32_t> intervals_ = {0, 0, 1, 2};
  std::vector<KeyInterval<std::uint32_t>> boxes_ = {{2, 7}, {8, 9}, {4, 4}, {6, 8}};
  LaunchParams params_{};
};

TEST_F(OptixIntervalHits, AreIntervalsThatContainTheKey) {
  const auto containing = [&](std::uint64_t key) {
    IntervalHits all = query({0, 9}, {0, 9});
    return cast(all, true, {key, key});
  };
  EXPECT_EQ(containing(1), 0U);
  EXPECT_EQ(containing(4), 2U);
  EXPECT_EQ(containing(7), 2U);  // one box of the first interval
  EXPECT_EQ(containing(8), 2U);
  EXPECT_EQ(containing(9), 1U);
}

TEST_F(OptixIntervalHits, AreStartsInTheRangeOfTheRay) {
  IntervalHits all = query({0, 9}, {0, 9});
  EXPECT_EQ(cast(all, false, {3, 6}), 2U);
  EXPECT_EQ(all.hits.rows.first, 20U);
  EXPECT_EQ(cast(all, false, {0, 2}), 1U);
  EXPECT_EQ(all.hits.rows.first, 10U);
}

TEST_F(OptixIntervalHits, MatchByBothEnds) {
  IntervalHits early = query({0, 2}, {0, 9});
  EXPECT_EQ(cast(early, true, {4, 4}), 1U);
  EXPECT_EQ(early.hits.rows.any, 10U);
  IntervalHits short_ones = query({0, 9}, {0, 8});
  EXPECT_EQ(cast(short_ones, false, {0, 9}), 2U);
  EXPECT_EQ(short_ones.hits.rows.first, 20U);
}

TEST_F(OptixIntervalHits, SkipDeletedRows) {
  const std::uint32_t words[1] = {1U << 20};
  params_.lookups.deleted = {words, 31};
  IntervalHits all = query({0, 9}, {0, 9});
  EXPECT_EQ(cast(all, true, {4, 4}), 1U);
  EXPECT_EQ(all.hits.rows.any, 10U);
}

TEST_F(OptixIntervalHits, CollectIntervalsNotBoxes) {
  std::vector<std::uint32_t> collected(2);
  const std::vector<std::uint64_t> offsets = {0, 2};
  params_.task = Task::collect;
  params_.offsets = offsets.data();
  params_.collected = collected.data();
  IntervalHits all = query({0, 9}, {0, 9});
  cast(all, true, {8, 8});
  EXPECT_TRUE(all.hits.done);
  EXPECT_EQ(collected, (std::vector<std::uint32_t>{0, 2}));
}

}  // namespace
}  // namespace rtindex::optix
