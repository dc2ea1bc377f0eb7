// How a ray finds its bucket in several acceleration structures, tried on the host.

#include "kinds/optix/programs/closest_bucket.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace rtindex::optix {
namespace {

// Structures of three triangles, handles 100 on, that a ray meets as listed.
class ClosestBucket : public testing::Test {
 protected:
  std::uint32_t find(const std::vector<std::uint32_t>& hits,
                     const std::vector<std::uint32_t>& buckets = {}) {
    std::vector<Traversable> handles;
    for (std::size_t i = 0; i < hits.size(); ++i) handles.push_back(100 + i);
    const BucketPart part{handles.data(), static_cast<std::uint32_t>(hits.size()), 3,
                          buckets.empty() ? nullptr : buckets.data()};
    rays_ = 0;
    return closest_bucket(
        part, [&](Traversable structure) { return hits.at(structure - 100); }, [&] { ++rays_; });
  }

  int rays_ = 0;
};

TEST_F(ClosestBucket, StopsAtTheFirstStructureWithAHit) {
  EXPECT_EQ(find({2, 0}), 2U);
  EXPECT_EQ(find({no_bucket, 1, 0}), 4U);
  EXPECT_EQ(find({no_bucket, 1, 0}, {10, 11, 12, 13, 14, 15, 16}), 14U);
  EXPECT_EQ(find({no_bucket, no_bucket}), no_bucket);
}

TEST_F(ClosestBucket, CostsARayForEachStructureThatIsTraced) {
  static_cast<void>(find({2, 0, 1}));
  EXPECT_EQ(rays_, 1);
  static_cast<void>(find({no_bucket, no_bucket, 1, 0}));
  EXPECT_EQ(rays_, 3);
  static_cast<void>(find({no_bucket, no_bucket}));
  EXPECT_EQ(rays_, 2);
  EXPECT_EQ(find({}), no_bucket);
  EXPECT_EQ(rays_, 0);
}

}  // namespace
}  // namespace rtindex::optix
