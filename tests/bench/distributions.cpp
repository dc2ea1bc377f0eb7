#include "workload/distributions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include <rtindex/error.hpp>

#include "workload/lookups.hpp"
#include "workload/portable_math.hpp"

namespace rtindex::bench {
namespace {

using Keys = std::vector<std::uint64_t>;

const std::unique_ptr<ExecutionSpace> memory = host_space();
constexpr std::size_t rows = 100'000;

Keys in_order(Distribution distribution, int bits, std::uint64_t seed = 1) {
  Keys keys = distributed_keys(*memory, distribution, rows, bits, seed).to_host();
  std::sort(keys.begin(), keys.end());
  return keys;
}

Keys steps_of(const Keys& keys) {
  Keys steps;
  for (std::size_t i = 1; i < keys.size(); ++i) steps.push_back(keys[i] - keys[i - 1]);
  return steps;
}

template <class Condition>
double share_of(const Keys& keys, const Condition& condition) {
  return static_cast<double>(std::count_if(keys.begin(), keys.end(), condition)) /
         static_cast<double>(keys.size());
}

double repeated_share(const Keys& keys) {
  return 1 - static_cast<double>(std::set<std::uint64_t>(keys.begin(), keys.end()).size()) /
                 static_cast<double>(keys.size());
}

double quantile(const Keys& keys, double q) {
  return static_cast<double>(keys[static_cast<std::size_t>(q * static_cast<double>(rows))]);
}

TEST(PortableMath, FollowsTheStandardLibrary) {
  for (int i = -200; i <= 200; ++i) {
    const double power = 0.173 * i;
    EXPECT_NEAR(portable_exp(power) / std::exp(power), 1, 1e-7) << power;
    EXPECT_NEAR(portable_log(std::exp(power)), power, 1e-7) << power;
  }
}

TEST(PortableMath, NormalNumbersAreNormal) {
  double sum = 0;
  double squares = 0;
  std::size_t beyond_two = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const double z = random_normal(1, i);
    sum += z;
    squares += z * z;
    beyond_two += std::fabs(z) > 2 ? 1 : 0;
  }
  EXPECT_NEAR(sum / rows, 0, 0.02);
  EXPECT_NEAR(squares / rows, 1, 0.02);
  EXPECT_NEAR(static_cast<double>(beyond_two) / rows, 0.0455, 0.003);
}

TEST(Distributions, FollowFromSizeAndSeed) {
  for (const Distribution distribution : distributions())
    for (const int bits : {32, 64}) {
      SCOPED_TRACE(name_of(distribution));
      const KeyArray keys = distributed_keys(*memory, distribution, rows, bits, 1);
      EXPECT_EQ(keys.size(), rows);
      EXPECT_EQ(keys.bits(), bits);
      EXPECT_FALSE(name_of(distribution).empty());
      EXPECT_EQ(in_order(distribution, bits), in_order(distribution, bits));
      EXPECT_NE(in_order(distribution, bits), in_order(distribution, bits, 2));
      // In random order.
      const Keys by_row = keys.to_host();
      EXPECT_FALSE(std::is_sorted(by_row.begin(), by_row.begin() + 100));
      EXPECT_FALSE(std::is_sorted(by_row.end() - 100, by_row.end()));
    }
}

TEST(Distributions, OfEverySizeDownToNothing) {
  for (const Distribution distribution : distributions())
    for (const std::size_t size : {0U, 1U, 2U, 7U, 1000U}) {
      const Column column = distributed_column(*memory, distribution, size, 64, 3);
      EXPECT_EQ(column.size(), size);
      EXPECT_EQ(column.about["keys"], name_of(distribution));
    }
}

TEST(Distributions, LognormalHasItsQuantiles) {
  for (const auto& [bits, sigma, median] : {std::tuple{64, 2.0, 1e15}, std::tuple{32, 1.0, 4e7}}) {
    const Keys keys = in_order(Distribution::lognormal, bits);
    EXPECT_NEAR(quantile(keys, 0.5) / median, 1, 0.05);
    EXPECT_NEAR(std::log(quantile(keys, 0.97725) / median), 2 * sigma, 0.1 * sigma);
    EXPECT_NEAR(std::log(quantile(keys, 0.02275) / median), -2 * sigma, 0.1 * sigma);
    EXPECT_LE(static_cast<double>(keys.back()), bits == 64 ? 9e18 : 4.2e9);
  }
  EXPECT_LT(repeated_share(in_order(Distribution::lognormal, 64)), 1e-4);
}

TEST(Distributions, LongTailHasEveryMagnitude) {
  const Keys keys = in_order(Distribution::long_tail, 64);
  EXPECT_LT(keys.back(), std::uint64_t{1} << 63);
  EXPECT_NEAR(share_of(keys, [](std::uint64_t key) { return key >> 40 != 0; }), 22.0 / 48, 0.01);
  EXPECT_NEAR(share_of(keys, [](std::uint64_t key) { return key >> 20 != 0; }), 42.0 / 48, 0.01);
  const Keys narrow = in_order(Distribution::long_tail, 32);
  EXPECT_NEAR(share_of(narrow, [](std::uint64_t key) { return key >> 24 != 0; }), 7.0 / 12, 0.01);
}

TEST(Distributions, ClustersAreApart) {
  const auto share_beyond = [](int bits, double distance) {
    return share_of(steps_of(in_order(Distribution::clusters, bits)),
                    [=](std::uint64_t step) { return static_cast<double>(step) > distance; });
  };
  EXPECT_NEAR(share_beyond(64, 5e7) * rows, 4096, 20);
  EXPECT_LT(share_beyond(64, 5e6 / 4), 0.3);
  // With less room some clusters overlap.
  EXPECT_NEAR(share_beyond(32, 2e6) * rows, 200, 50);
  EXPECT_LT(share_beyond(32, 1e6 / 20), 0.05);
}

TEST(Distributions, IdsHaveRunsAndGaps) {
  for (const int bits : {32, 64}) {
    const Keys keys = in_order(Distribution::gaps, bits);
    EXPECT_EQ(repeated_share(keys), 0);
    std::vector<std::size_t> runs = {1};
    for (const std::uint64_t step : steps_of(keys)) {
      ASSERT_LE(step, 5001U);
      if (step == 1)
        ++runs.back();
      else
        runs.push_back(1);
    }
    EXPECT_LE(*std::max_element(runs.begin(), runs.end()), 1000U);
    EXPECT_NEAR(static_cast<double>(rows) / static_cast<double>(runs.size()), 500, 75);
    EXPECT_NEAR(static_cast<double>(keys.back() - keys.front()) / rows, 6, 1);
  }
}

TEST(Distributions, BurstsAreDense) {
  for (const int bits : {32, 64}) {
    const Keys keys = in_order(Distribution::bursts, bits);
    const Keys steps = steps_of(keys);
    Keys sorted_steps = steps;
    std::sort(sorted_steps.begin(), sorted_steps.end());
    const double mean = static_cast<double>(keys.back() - keys.front()) / rows;
    EXPECT_GT(mean, 100 * quantile(sorted_steps, 0.5));
    // About 5,050 of 6,050 events are in bursts, where they are about a microsecond apart.
    const std::uint64_t near = bits == 64 ? 50'000 : 100;
    EXPECT_NEAR(share_of(steps, [=](std::uint64_t step) { return step < near; }), 0.83, 0.1);
    if (bits == 64) {
      EXPECT_LT(repeated_share(keys), 0.02);
      EXPECT_GT(keys.front(), 1'600'000'000'000'000'000U);
    }
  }
}

TEST(Distributions, OutliersAreAloneAndFarAway) {
  for (const int bits : {32, 64}) {
    const Keys above = in_order(Distribution::outlier_above, bits);
    EXPECT_EQ(repeated_share(above), 0);
    EXPECT_GT(above.back(), 10 * above[rows - 2]);
    const Keys below = in_order(Distribution::outlier_below, bits);
    EXPECT_EQ(repeated_share(below), 0);
    EXPECT_LT(below[0], 10U);
    EXPECT_GT(below[1] - below[0], 10 * (below.back() - below[1]));
  }
}

TEST(Distributions, ZipfRepeatsFewKeysOften) {
  for (const int bits : {32, 64}) {
    const Keys keys = in_order(Distribution::zipf, bits);
    EXPECT_GT(repeated_share(keys), 1 - 1.0 / 8);
    std::size_t most = 0;
    for (std::size_t first = 0; first < rows;) {
      const std::size_t next = static_cast<std::size_t>(
          std::upper_bound(keys.begin(), keys.end(), keys[first]) - keys.begin());
      most = std::max(most, next - first);
      first = next;
    }
    // The reciprocal of the harmonic number of the distinct keys.
    const double harmonic = std::log(rows / 8.0) + 0.5772;
    EXPECT_NEAR(static_cast<double>(most) / rows, 1 / harmonic, 0.1 / harmonic);
  }
}

TEST(Distributions, RejectSizesThatDoNotFit) {
  const std::size_t many = std::size_t{1} << 30;
  for (const Distribution distribution : {Distribution::gaps, Distribution::bursts})
    EXPECT_THROW((void)distributed_keys(*memory, distribution, many, 32, 1), Error);
}

TEST(Lookups, OfAnyRowExpectItsKey) {
  const Column column = distributed_column(*memory, Distribution::zipf, 1000, 32, 1);
  const Lookups lookups = rows_in(column, 300, 2);
  EXPECT_EQ(lookups.expected.to_host(), lookups.lower.to_host());
  const Keys keys = column.keys.to_host();
  for (std::size_t i = 0; i < lookups.size(); ++i)
    EXPECT_NE(std::find(keys.begin(), keys.end(), lookups.lower[i]), keys.end());
}

}  // namespace
}  // namespace rtindex::bench
