#include "workload/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace rtindex::bench {
namespace {

TEST(Permutation, IsABijectionWithAnInverse) {
  for (const std::uint64_t size : {1U, 2U, 3U, 7U, 64U, 100U, 4096U, 5000U}) {
    const Permutation permutation(size, 11);
    std::vector<bool> is_hit(size);
    for (std::uint64_t position = 0; position < size; ++position) {
      const std::uint64_t image = permutation(position);
      ASSERT_LT(image, size);
      ASSERT_FALSE(is_hit[image]) << "size " << size << ": two positions go to " << image;
      is_hit[image] = true;
      ASSERT_EQ(permutation.inverse(image), position);
    }
  }
}

TEST(Permutation, HasFewFixedPoints) {
  const std::uint64_t size = 1 << 16;
  const Permutation permutation(size, 3);
  std::uint64_t fixed = 0;
  std::uint64_t ascents = 0;
  for (std::uint64_t position = 0; position + 1 < size; ++position) {
    fixed += permutation(position) == position ? 1 : 0;
    ascents += permutation(position) < permutation(position + 1) ? 1 : 0;
  }
  EXPECT_LT(fixed, 10U);
  // A random order rises half of the time, give or take sqrt(size / 12) = 74.
  EXPECT_NEAR(static_cast<double>(ascents), size / 2.0, 6 * 74.0);
}

TEST(Random, IsEvenOverABound) {
  constexpr std::uint64_t bound = 10;
  constexpr int draws = 100000;
  std::vector<int> counts(bound);
  for (int i = 0; i < draws; ++i) ++counts.at(random_below(bound, 5, static_cast<unsigned>(i)));
  // Six standard deviations of a binomial with n = 100000, p = 0.1.
  for (const int count : counts) EXPECT_NEAR(count, draws / bound, 6 * 95);
}

class ZipfLaw : public testing::TestWithParam<double> {};

// The counts of the first ranks against their weights, and the tail as one.
TEST_P(ZipfLaw, HasTheFrequencyOfEveryRank) {
  constexpr std::uint64_t size = 1000;
  constexpr int draws = 200000;
  const double exponent = GetParam();
  const Zipf zipf(size, exponent);
  std::vector<int> counts(size);
  for (int i = 0; i < draws; ++i) ++counts.at(zipf(9, static_cast<unsigned>(i)));
  double total = 0;
  for (std::uint64_t rank = 1; rank <= size; ++rank)
    total += std::pow(static_cast<double>(rank), -exponent);
  for (std::uint64_t rank = 0; rank < size; ++rank) {
    const double share = std::pow(static_cast<double>(rank + 1), -exponent) / total;
    const double deviation = std::sqrt(draws * share * (1 - share));
    ASSERT_NEAR(counts[rank], draws * share, 6 * deviation + 1)
        << "rank " << rank << " of exponent " << exponent;
  }
}

INSTANTIATE_TEST_SUITE_P(Exponents, ZipfLaw, testing::Values(0.0, 0.25, 0.75, 1.0, 1.5, 2.0));

}  // namespace
}  // namespace rtindex::bench
