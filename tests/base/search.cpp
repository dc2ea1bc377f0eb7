#include "base/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace rtindex {
namespace {

using Keys = std::vector<std::uint32_t>;

std::uint32_t expected(const Keys& keys, std::uint32_t wanted) {
  return static_cast<std::uint32_t>(std::lower_bound(keys.begin(), keys.end(), wanted) -
                                    keys.begin());
}

// Searches [begin, end), or from `slack` positions earlier, as a search by blocks of keys does.
std::uint32_t found_from(const Keys& keys, std::uint32_t begin, std::uint32_t end,
                         std::uint32_t wanted, std::uint32_t slack) {
  const auto size = static_cast<std::uint32_t>(keys.size());
  return lower_bound_from_hint(
      size, begin, end, wanted,
      [&](std::uint32_t position) {
        EXPECT_LT(position, size);
        return keys[position];
      },
      [&](std::uint32_t from, std::uint32_t to) {
        EXPECT_LE(from, to);
        EXPECT_LE(to, size);
        const std::uint32_t earlier = from - std::min(from, slack);
        return static_cast<std::uint32_t>(
            std::lower_bound(keys.begin() + earlier, keys.begin() + to, wanted) - keys.begin());
      });
}

TEST(LowerBoundFromHint, IsExactForEveryHint) {
  for (const Keys& keys : {Keys{}, Keys{3}, Keys{3, 3, 3, 3, 3, 3}, Keys{0, 2, 4, 6, 8, 10, 12},
                           Keys{1, 1, 2, 5, 5, 5, 5, 5, 5, 9, 9, 11}})
    for (std::uint32_t wanted = 0; wanted < 14; ++wanted)
      for (std::uint32_t begin = 0; begin <= keys.size(); ++begin)
        for (std::uint32_t end = begin; end <= keys.size(); ++end)
          for (const std::uint32_t slack : {0U, 1U, 3U})
            ASSERT_EQ(found_from(keys, begin, end, wanted, slack), expected(keys, wanted))
                << wanted << " from " << begin << ".." << end << " of " << keys.size();
}

TEST(LowerBoundFromHint, TakesGrowingSteps) {
  Keys keys(1 << 20);
  for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = 2 * i;
  for (const std::uint32_t begin : {0U, 1U << 19, (1U << 20) - 4}) {
    int searches = 0;
    const std::uint32_t found = lower_bound_from_hint(
        1U << 20, begin, begin + 4, 600001U, [&](std::uint32_t position) { return keys[position]; },
        [&](std::uint32_t from, std::uint32_t to) {
          ++searches;
          return static_cast<std::uint32_t>(
              std::lower_bound(keys.begin() + from, keys.begin() + to, 600001U) - keys.begin());
        });
    EXPECT_EQ(found, 300001U);
    EXPECT_LE(searches, 20);
  }
}

TEST(PartitionPoint, IsTheFirstPositionThatIsNotBefore) {
  for (std::uint64_t begin = 0; begin < 20; ++begin)
    for (std::uint64_t end = begin; end < 20; ++end)
      for (std::uint64_t point = 0; point < 20; ++point) {
        const auto is_before = [&](std::uint64_t at) {
          EXPECT_TRUE(begin <= at && at < end);
          return at < point;
        };
        const std::uint64_t right = std::clamp(point, begin, end);
        EXPECT_EQ(partition_point(begin, end, is_before), right);
        EXPECT_EQ(near_partition_point(begin, end, is_before), right);
      }
}

}  // namespace
}  // namespace rtindex
