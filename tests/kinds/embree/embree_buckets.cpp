// What Embree's rays find before keys are compared: the right bucket where rays are short, and one
// close by where they are long.

#if defined(RTINDEX_HAS_EMBREE)

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kinds/embree/bucket_scene.hpp"
#include "support/random.hpp"

namespace rtindex::test {
namespace {

using Keys = std::vector<std::uint64_t>;

class Column {
 public:
  Column(const std::string& spec, Keys keys)
      : keys_(std::move(keys)),
        options_(RxOptions::from(Spec(spec))),
        buckets_{options_.bucket, static_cast<std::uint32_t>(keys_.size())},
        scene_(
            options_, buckets_,
            [&](std::uint32_t bucket) { return keys_[buckets_.end(bucket) - 1]; }, 1) {}

  [[nodiscard]] const EmbreeBuckets& scene() const { return scene_; }
  [[nodiscard]] std::uint32_t found(std::uint64_t key) const {
    std::uint64_t rays = 0;
    const std::uint32_t bucket = scene_.find(key, rays);
    EXPECT_LE(rays, 3U);
    return bucket;
  }
  [[nodiscard]] std::uint32_t right(std::uint64_t key) const {
    const auto found = std::lower_bound(keys_.begin(), keys_.end(), key);
    return found == keys_.end() ? no_bucket
                                : static_cast<std::uint32_t>(found - keys_.begin()) / buckets_.size;
  }
  // The first bucket whose largest key is not less, by the bits that the scene keeps.
  [[nodiscard]] std::uint32_t right_in_scene(std::uint64_t key) const {
    const int dropped = scene_.dropped_bits();
    const auto found = std::lower_bound(
        keys_.begin(), keys_.end(), key >> dropped,
        [&](std::uint64_t of, std::uint64_t wanted) { return of >> dropped < wanted; });
    return static_cast<std::uint32_t>(found - keys_.begin()) / buckets_.size;
  }

 private:
  Keys keys_;
  RxOptions options_;
  Buckets buckets_;
  EmbreeBuckets scene_;
};

Keys sorted(Keys keys) {
  std::sort(keys.begin(), keys.end());
  return keys;
}

TEST(EmbreeBuckets, AreFoundOnShortRays) {
  Keys keys;
  Random random(3);
  for (int i = 0; i < 20000; ++i) keys.push_back(random.below(1 << 18));
  for (const std::string options : {"mode=naive,drop=0,bucket=16", "bits=9+5+4,drop=0,bucket=1",
                                    "bits=4+7+7,drop=0,bucket=3", "bits=0+9+9,drop=0,bucket=16"}) {
    const Column column("rx:embree," + options, sorted(keys));
    for (std::uint64_t key = 0; key < (1 << 18) + 3; ++key)
      ASSERT_EQ(column.found(key), column.right(key)) << key << " with " << options;
  }
}

TEST(EmbreeBuckets, CountTheirPrimitives) {
  // Two planes of two rows each, of four places.
  const Keys keys = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9, 9, 15};
  const Column column("rx:embree,bits=2+1+1,bucket=2,drop=0", keys);
  EXPECT_EQ(column.scene().representatives(), 6U);  // 1 3 5 7 9 (9 9) 15
  EXPECT_EQ(column.scene().row_markers(), 4U);
  EXPECT_EQ(column.scene().plane_markers(), 2U);
  const Column one_row("rx:embree,bucket=2", keys);
  EXPECT_EQ(one_row.scene().row_markers(), 0U);
  EXPECT_EQ(one_row.scene().plane_markers(), 0U);
  EXPECT_EQ(one_row.scene().marker_bytes(), 0U);
}

TEST(EmbreeBuckets, DropBitsThatDistinguishFewKeys) {
  Keys keys;
  Random random(4);
  for (int i = 0; i < 1 << 16; ++i) keys.push_back(random.below(~std::uint64_t{0}));
  const Column column("rx:embree,bucket=16", sorted(keys));
  // 2^12 buckets, with 2^12 places or some more for each.
  EXPECT_GE(column.scene().dropped_bits(), 64 - 12 - 17);
  EXPECT_LE(column.scene().dropped_bits(), 64 - 12 - 12);
  EXPECT_GE(column.scene().representatives(), (1U << 12) - (1U << 4));
  EXPECT_LE(column.scene().row_markers(), 16U);
  for (const std::uint64_t key : keys) ASSERT_EQ(column.found(key), column.right_in_scene(key));
  const Column all_bits("rx:embree,bucket=16,drop=0", sorted(keys));
  EXPECT_EQ(all_bits.scene().dropped_bits(), 0);
  EXPECT_EQ(all_bits.scene().representatives(), 1U << 12);
  EXPECT_GT(all_bits.scene().row_markers(), 4000U);
}

TEST(EmbreeBuckets, AreFoundWithoutLowBits) {
  Keys keys;
  Random random(5);
  for (int i = 0; i < 20000; ++i)
    keys.push_back(random.below(1 << 18) << 20 | random.below(1 << 20));
  keys = sorted(keys);
  for (const std::string options :
       {"mode=naive,drop=20,bucket=16", "bits=9+5+4,drop=20,bucket=1,scale=2^20",
        "bits=4+7+7,drop=21,bucket=3,scale=2^-20", "bits=0+9+9,drop=22,bucket=16"}) {
    const Column column("rx:embree," + options, keys);
    for (std::uint64_t key = 0; key < keys.back(); key += 9'999'991)
      ASSERT_EQ(column.found(key), column.right_in_scene(key)) << key << " with " << options;
  }
}

// On a ray as long as a row the error of t is some units in the last place, of half a key each.
TEST(EmbreeBuckets, AreFoundNearbyOnLongRays) {
  Keys keys;
  const std::uint64_t last = (1 << 23) - 1;
  for (std::uint64_t i = 0; i < 64; ++i) keys.push_back(last - i);
  const Column column("rx:embree,mode=naive,bucket=1,drop=0", sorted(keys));
  for (std::uint64_t key = 0; key < last; key += 4099) {
    const std::uint32_t found = column.found(key);
    ASSERT_NE(found, no_bucket) << key;
    ASSERT_LE(found, column.right(key) + 8) << key;
  }
}

}  // namespace
}  // namespace rtindex::test

#endif
