// The native tracer's grid on a GPU where many of its groups have to be refined, and where none can
// be: against the sorted array on the CPU.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/cuda/gpu_test.hpp"
#include "support/random.hpp"

namespace rtindex::test {
namespace {

class DeviceGrid : public GpuTestWithParam<std::string> {
 protected:
  // Points at every key and beside it, and ranges from one key to another.
  template <class Key>
  static void expect_like_sorted(std::vector<Key> keys) {
    Random random(3);
    random.shuffle(keys);
    const Index index = build(keys, GetParam());
    const Index sorted = build(keys, "sorted@cpu");
    std::vector<Key> wanted;
    for (const Key key : keys) wanted.insert(wanted.end(), {key, key - 1, key + 1});
    std::vector<Key> upper = wanted;
    random.shuffle(upper);
    const AnswerSet answers = Answer::first | Answer::count;
    const auto points = index.lookup(wanted, answers);
    const auto expected_points = sorted.lookup(wanted, answers);
    const auto ranges = index.range(wanted, upper, answers);
    const auto expected_ranges = sorted.range(wanted, upper, answers);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(points.count()[i], expected_points.count()[i]) << wanted[i];
      ASSERT_EQ(points.first()[i], expected_points.first()[i]) << wanted[i];
      ASSERT_EQ(ranges.count()[i], expected_ranges.count()[i]) << wanted[i] << ":" << upper[i];
      ASSERT_EQ(ranges.first()[i], expected_ranges.first()[i]) << wanted[i] << ":" << upper[i];
    }
  }
};

// Every cluster is a group with too many keys for its cells, and so are the clusters within it.
TEST_P(DeviceGrid, OfManyClusters) {
  std::vector<std::uint64_t> keys;
  for (std::uint64_t cluster = 1; cluster <= 40; ++cluster)
    for (std::uint64_t within = 0; within < 500; ++within)
      keys.push_back((cluster << 56) + ((within % 2) << 40) + within);
  expect_like_sorted(keys);
}

TEST_P(DeviceGrid, OfManyClustersOfNarrowKeys) {
  std::vector<std::uint32_t> keys;
  for (std::uint32_t cluster = 1; cluster <= 40; ++cluster)
    for (std::uint32_t within = 0; within < 500; ++within) keys.push_back((cluster << 26) + within);
  expect_like_sorted(keys);
}

// Few keys, each in hundreds of rows: a grid cannot separate more of them.
TEST_P(DeviceGrid, OfFewKeysInManyRows) {
  std::vector<std::uint32_t> keys;
  for (std::uint32_t i = 0; i < 20'000; ++i) keys.push_back(5 + i % 40);
  expect_like_sorted(keys);
}

INSTANTIATE_TEST_SUITE_P(Cuda, DeviceGrid,
                         testing::Values("rx:native@cuda", "rx:native@cuda,cell=1",
                                         "rx:native@cuda,cell=16"),
                         [](const auto& item) { return "settings_" + std::to_string(item.index); });

}  // namespace
}  // namespace rtindex::test
