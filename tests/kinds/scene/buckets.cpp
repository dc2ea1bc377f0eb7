#include "kinds/scene/buckets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "kinds/scene/exact_hit.hpp"
#include "kinds/scene/scene_cases.hpp"
#include "support/random.hpp"

namespace rtindex::test {
namespace {

// A tracer that does not round: the closest of all triangles, one by one.
struct ExactScene {
  std::vector<Triangle> triangles;
  std::vector<std::uint32_t> buckets;

  [[nodiscard]] std::uint32_t closest(const Ray& ray) const {
    std::uint32_t bucket = no_bucket;
    double nearest = 0;
    for (std::size_t i = 0; i < triangles.size(); ++i) {
      if (!hits(ray, triangles[i])) continue;
      const double t = *exact_hit(ray, triangles[i]);
      // Of those at one place the last, to be unkind.
      if (bucket == no_bucket || t <= nearest) {
        bucket = buckets[i];
        nearest = t;
      }
    }
    return bucket;
  }
};

// A sorted column in buckets, traced exactly.
class ExactBuckets {
 public:
  ExactBuckets(const Coordinates& coordinates, std::vector<std::uint64_t> keys, std::uint32_t size,
               int dropped = 0)
      : space_{coordinates, dropped, keys.back() >> dropped},
        keys_(std::move(keys)),
        buckets_{size, static_cast<std::uint32_t>(keys_.size())} {
    const auto widest = [&](BucketRole role) {
      std::uint32_t max_gap = steps_on_axis(coordinates, role, largest_key(0));
      for (std::uint32_t bucket = 1; bucket < buckets_.count(); ++bucket)
        max_gap = std::max(
            max_gap, gap_before(coordinates, role, largest_key(bucket - 1), largest_key(bucket)));
      return max_gap;
    };
    space_.widest = {widest(BucketRole::representative), widest(BucketRole::row_marker),
                     widest(BucketRole::plane_marker)};
    place(BucketRole::representative, representatives_);
    for (const BucketRole role : {BucketRole::row_marker, BucketRole::plane_marker})
      if (has_markers(coordinates, role, space_.last_key)) place(role, markers_);
  }

  // As the scene has it.
  [[nodiscard]] std::uint64_t largest_key(std::uint32_t bucket) const {
    return keys_[buckets_.end(bucket) - 1] >> space_.dropped;
  }
  // The first bucket whose largest key is not less, by the bits that the scene keeps.
  [[nodiscard]] std::uint32_t bucket_of_successor(std::uint64_t key) const {
    const auto found = std::lower_bound(
        keys_.begin(), keys_.end(), key >> space_.dropped,
        [&](std::uint64_t of, std::uint64_t wanted) { return of >> space_.dropped < wanted; });
    return static_cast<std::uint32_t>(found - keys_.begin()) / buckets_.size;
  }
  [[nodiscard]] std::uint32_t find(std::uint64_t key) {
    rays_ = 0;
    const auto count = [&](const Ray& ray) {
      EXPECT_GE(ray.t_min, 0);
      EXPECT_LT(ray.t_min, ray.t_max);
      EXPECT_TRUE(std::isfinite(ray.t_max));
      ++rays_;
      return ray;
    };
    return find_bucket(
        space_, key, [&](const Ray& ray) { return representatives_.closest(count(ray)); },
        [&](const Ray& ray) { return markers_.closest(count(ray)); });
  }
  [[nodiscard]] int rays() const { return rays_; }

 private:
  void place(BucketRole role, ExactScene& scene) {
    for (std::uint32_t bucket = 0; bucket < buckets_.count(); ++bucket) {
      const std::uint64_t key = largest_key(bucket);
      if (bucket != 0 && !is_first(space_.coordinates, role, largest_key(bucket - 1), key))
        continue;
      scene.triangles.push_back(bucket_triangle(space_.coordinates, role, key));
      scene.buckets.push_back(bucket);
    }
  }

  BucketSpace space_;
  std::vector<std::uint64_t> keys_;
  Buckets buckets_;
  ExactScene representatives_, markers_;
  int rays_ = 0;
};

class BucketScenes : public testing::TestWithParam<Coordinates> {
 protected:
  const Coordinates coordinates = GetParam();

  // The bucket is the right one. Extended mode's rays begin up to eight units in the last place
  // early, and two such units are one key.
  void expect_found(ExactBuckets& scene, std::uint64_t key) const {
    const std::uint32_t found = scene.find(key);
    const std::uint32_t right = scene.bucket_of_successor(key);
    if (coordinates.mode == KeyMode::extended && found < right) {
      ASSERT_GE(scene.largest_key(found) + 5, key);
    } else {
      ASSERT_EQ(found, right) << "key " << key;
    }
    ASSERT_LE(scene.rays(), 3);
  }

  void expect_all_found(const std::vector<std::uint64_t>& keys) {
    for (const std::uint32_t size : {1U, 3U, 16U, 1000U}) {
      ExactBuckets scene(coordinates, keys, size);
      for (const std::uint64_t key : keys)
        for (const std::uint64_t near : {key - 1, key, key + 1})
          if (near <= keys.back() && !(key == 0 && near == key - 1)) expect_found(scene, near);
      expect_found(scene, 0);
      expect_found(scene, keys.back() / 2);
      if (coordinates.mode == KeyMode::extended) continue;
      for (const int dropped : {1, 5, 22}) {
        ExactBuckets short_keys(coordinates, keys, size, dropped);
        for (const std::uint64_t key : keys) expect_found(short_keys, key);
        expect_found(short_keys, keys.back() / 2);
      }
    }
  }
};

TEST_P(BucketScenes, FindTheBucketOfTheFirstKeyNotLess) {
  const std::vector<std::uint64_t> corners = boundary_keys(coordinates);
  Random random(5);
  for (const std::size_t size : {1U, 2U, 40U, 100U}) {
    std::vector<std::uint64_t> keys;
    for (std::size_t i = 0; i < size; ++i) keys.push_back(random.pick(corners));
    std::sort(keys.begin(), keys.end());
    expect_all_found(keys);
  }
}

TEST_P(BucketScenes, SkipBucketsThatEndWithTheSameKey) {
  const std::vector<std::uint64_t> corners = boundary_keys(coordinates);
  const std::uint64_t last = corners.back();
  std::vector<std::uint64_t> keys(20, last / 3);
  keys.insert(keys.end(), 7, last / 2);
  keys.insert(keys.end(), 33, last);
  expect_all_found(keys);
  expect_all_found(std::vector<std::uint64_t>(50, 0));
  expect_all_found(std::vector<std::uint64_t>(50, last));
}

// Each ray sees what it is meant to see, and nothing of the other kinds.
TEST_P(BucketScenes, KeepRaysAwayFromTheMarkersOfOthers) {
  if (coordinates.mode != KeyMode::three_d) return;
  const std::uint64_t largest = coordinates.largest_key();
  for (const std::uint64_t key : boundary_keys(coordinates)) {
    const std::uint64_t row = coordinates.row_of(key);
    const std::uint64_t plane = plane_of(coordinates, key);
    const Triangle own = triangle_at(coordinates, key);
    const Triangle beside = row_marker(coordinates, row);
    const Triangle before = plane_marker(coordinates, plane);
    const BucketSpace space{coordinates, 0, largest, {}};
    const Ray along = ray_along_row(space, key);
    ASSERT_TRUE(hits(along, own)) << key;
    ASSERT_FALSE(hits(along, beside)) << key;
    ASSERT_FALSE(hits(along, before)) << key;
    if (row > plane << coordinates.bits_y) {
      const Ray past = ray_past_rows(space, row - 1);
      ASSERT_TRUE(hits(past, beside)) << row;
      ASSERT_FALSE(hits(past, own)) << row;
      ASSERT_FALSE(hits(past, before)) << row;
      ASSERT_FALSE(hits(past, row_marker(coordinates, row - 1))) << row;
    }
    if (plane > 0) {
      const Ray past = ray_past_planes(space, plane - 1);
      ASSERT_TRUE(hits(past, before)) << plane;
      ASSERT_FALSE(hits(past, own)) << plane;
      ASSERT_FALSE(hits(past, beside)) << plane;
      ASSERT_FALSE(hits(past, plane_marker(coordinates, plane - 1))) << plane;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scene, BucketScenes, testing::ValuesIn(scene_cases()), case_name);

TEST(Buckets, DropBitsThatDistinguishFewKeys) {
  const std::uint64_t largest = ~std::uint64_t{0};
  const auto drop = [](const HighestDifferences& differences, std::uint64_t last_key) {
    return bits_to_drop(differences, Coordinates{}, last_key);
  };
  HighestDifferences differences{};
  EXPECT_EQ(drop(differences, largest), 64 - 23);  // one key, in one row
  EXPECT_EQ(drop(differences, 1 << 22), 0);
  // 2^22 buckets at even distances: 2^12 rows, or all there are.
  for (int bit = 42; bit < 64; ++bit) differences[static_cast<std::size_t>(bit)] = 1U << (bit - 42);
  EXPECT_EQ(drop(differences, largest), 64 - 23 - 12);
  differences[20] = 1 << 14;  // as many as may be lost
  EXPECT_EQ(drop(differences, largest), 64 - 23 - 12);
  differences[33] = 1000;  // one more, of which the next six bits must be left
  EXPECT_EQ(drop(differences, largest), 33 - 6);
  differences[20] = 1 << 15;  // rows without end: all bits stay
  EXPECT_EQ(drop(differences, largest), 0);
  // Few buckets in one row.
  HighestDifferences few{};
  few[40] = 100;
  EXPECT_EQ(drop(few, std::uint64_t{1} << 47), 48 - 23);
  few[16] = 1;  // 2^15 rows are left
  EXPECT_EQ(drop(few, std::uint64_t{1} << 47), 16 - 6);
  few[15] = 1;  // 2^16 are too many
  EXPECT_EQ(drop(few, std::uint64_t{1} << 47), 0);
  EXPECT_EQ(bits_to_drop(few, Coordinates{.mode = KeyMode::naive}, 1 << 20), 0);
  EXPECT_EQ(highest_difference(0, 1), 0U);
  EXPECT_EQ(highest_difference(7, 8), 3U);
  EXPECT_EQ(highest_difference(0, largest), 63U);
}

TEST(Buckets, CoverAColumn) {
  for (const std::uint32_t size : {1U, 3U, 16U, 1U << 30})
    for (const std::uint32_t keys : {0U, 1U, 2U, 3U, 15U, 16U, 17U, 0xffffffffU}) {
      const Buckets buckets{size, keys};
      EXPECT_EQ(buckets.begin(0), 0U);
      if (keys == 0) {
        EXPECT_EQ(buckets.count(), 0U);
        continue;
      }
      const std::uint32_t last = buckets.count() - 1;
      EXPECT_EQ(buckets.end(last), keys);
      EXPECT_LT(buckets.begin(last), keys);
      if (last != 0) {
        EXPECT_EQ(buckets.end(last - 1), buckets.begin(last));
      }
      // What rays did not find is a search from the column's end.
      EXPECT_EQ(buckets.begin(no_bucket), std::uint64_t{size} * no_bucket < keys
                                              ? static_cast<std::uint32_t>(size * no_bucket)
                                              : keys);
    }
}

}  // namespace
}  // namespace rtindex::test
