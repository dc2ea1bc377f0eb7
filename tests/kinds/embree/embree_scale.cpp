// Scenes so large and so wide that a tracer which loses one hit in a million is found out.

#if defined(RTINDEX_HAS_EMBREE)

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/random.hpp"

namespace rtindex::test {
namespace {

class EmbreeScale : public testing::TestWithParam<std::string> {};

// Points are looked up by rays across the rows and along them.
TEST_P(EmbreeScale, FindsEveryOneOfManyRandomKeys) {
  constexpr std::size_t size = std::size_t{1} << 19;
  Random random(20230830);
  std::vector<std::uint64_t> keys(size);
  for (std::uint64_t& key : keys) key = random.bits();
  for (const std::string point : {"perpendicular", "offset"}) {
    const Index index = build(keys, "rx:embree,primitive=" + GetParam() + ",point=" + point);
    const Answers found = index.lookup(keys, Answer::count);
    EXPECT_EQ(std::count(found.count().begin(), found.count().end(), 0), 0) << point;
  }
}

INSTANTIATE_TEST_SUITE_P(Primitives, EmbreeScale, testing::Values("triangle", "sphere", "aabb"),
                         [](const auto& primitive) { return primitive.param; });

}  // namespace
}  // namespace rtindex::test

#endif
