// Ranges over all 2^64 keys of a sparse column cost what their hits cost.

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include <rtindex/rtindex.hpp>

#include "support/random.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

constexpr std::uint64_t largest_key = std::numeric_limits<std::uint64_t>::max();

std::vector<std::uint64_t> sparse_keys() {
  Random random(1);
  std::vector<std::uint64_t> keys(std::size_t{1} << 16);
  for (std::uint64_t& key : keys) key = random.bits();
  return keys;
}

class WholeKeySpace : public testing::TestWithParam<std::string> {};

TEST_P(WholeKeySpace, IsOneRange) {
  const std::vector<std::uint64_t> keys = sparse_keys();
  const Index index = build(keys, GetParam());
  if (!index.supports(Answer::rows, QueryKind::range)) GTEST_SKIP() << "points only";
  const std::vector<std::uint64_t> lower = {0, 0, 1, largest_key};
  const std::vector<std::uint64_t> upper = {largest_key, largest_key, largest_key - 1, 0};
  const Answers answers =
      index.range(lower, upper, Answer::rows | Answer::count | Answer::sum, keys);
  const std::uint64_t sum = std::accumulate(keys.begin(), keys.end(), std::uint64_t{0});
  for (const std::size_t i : {0, 1, 2}) {
    EXPECT_EQ(answers.count()[i], keys.size());
    EXPECT_EQ(answers.sum_as<std::uint64_t>()[i], sum);
    EXPECT_EQ(answers.rows(i).size(), keys.size());
  }
  EXPECT_EQ(answers.count()[3], 0);
}

INSTANTIATE_TEST_SUITE_P(Conformance, WholeKeySpace, testing::ValuesIn(usable_indexes()),
                         [](const auto& item) { return test_name(item.param); });

TEST(RowRays, AllRejectsMoreThan2To24) {
  const std::string spec = "rx:embree@cpu,row_rays=all";
  if (!is_available(spec)) GTEST_SKIP() << "Embree is not available here";
  const Index index = build(sparse_keys(), spec);
  const std::vector<std::uint64_t> zero = {5, 0};
  try {
    static_cast<void>(index.range(zero, std::vector<std::uint64_t>{6, largest_key}, Answer::count));
    FAIL() << "2^41 rays were promised";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("2^24"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("row_rays=occupied"), std::string::npos);
  }
  // Points and short ranges are still answered.
  EXPECT_EQ(index.range(zero, zero, Answer::count).count().size(), 2U);
}

TEST(RowRays, AllAcceptsExactly2To24) {
  const std::string spec = "rx:embree@cpu,row_rays=all,bits=0+23+23";
  if (!is_available(spec)) GTEST_SKIP() << "Embree is not available here";
  const std::uint64_t rays = std::uint64_t{1} << 24;
  const std::vector<std::uint64_t> keys = {0, rays - 1, rays, rays + 1};
  const Index index = build(keys, spec);
  const std::vector<std::uint64_t> zero = {0};
  EXPECT_THROW(static_cast<void>(index.range(zero, std::vector{rays}, Answer::count)), Error);
  const Answers answers = index.range(zero, std::vector{rays - 1}, Answer::count);
  EXPECT_EQ(answers.count()[0], 2U);
}

}  // namespace
}  // namespace rtindex::test
