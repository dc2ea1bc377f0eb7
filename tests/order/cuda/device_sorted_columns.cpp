// Columns that are sorted already, which a GPU does not sort again, and columns that are sorted but
// for one key, against an index on the host.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

class DeviceSortedColumns : public GpuIndexTest {
 protected:
  template <class Key>
  static void expect_like_host(const std::vector<Key>& keys, const std::vector<Key>& more) {
    const ColumnOnGpu on_device{ColumnView(keys)};
    Index index = build(on_device.view(), GetParam());
    Index host = build(keys, "sorted@cpu");
    index.insert(more);
    host.insert(more);
    std::vector<Key> wanted = keys;
    wanted.insert(wanted.end(), more.begin(), more.end());
    for (std::size_t i = 0; i < keys.size(); i += 7) wanted.push_back(keys[i] + 1);
    const AnswerSet answers = Answer::first | Answer::last | Answer::count;
    const Answers found = index.lookup(wanted, answers);
    const Answers expected = host.lookup(wanted, answers);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(found.count()[i], expected.count()[i]) << wanted[i];
      ASSERT_EQ(found.first()[i], expected.first()[i]) << wanted[i];
      ASSERT_EQ(found.last()[i], expected.last()[i]) << wanted[i];
    }
  }

  // Key i is (first + i / equal) * scale.
  template <class Key>
  static void run(Key first, std::size_t equal, Key scale) {
    for (const std::size_t size : {1U, 2U, 31U, 33U, 256U, 257U, 4097U, 100'003U}) {
      SCOPED_TRACE(std::to_string(size) + " rows");
      std::vector<Key> all(size + 5000);
      for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = static_cast<Key>((first + static_cast<Key>(i / equal)) * scale);
      const std::vector<Key> keys(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size));
      const std::vector<Key> more(all.begin() + static_cast<std::ptrdiff_t>(size), all.end());
      expect_like_host(keys, more);
      if (size < 2) continue;
      for (const std::size_t at : {std::size_t{0}, size / 2, size - 2}) {
        std::vector<Key> almost = keys;
        almost[at + 1] = static_cast<Key>(almost[at] - scale);
        expect_like_host(almost, more);
      }
    }
  }
};

TEST_P(DeviceSortedColumns, OfKeysOfFourBytes) {
  run<std::uint32_t>(1, 1, 1);
  run<std::uint32_t>(1, 3, 1000);
  run<std::int32_t>(-50'000, 1, 7);
  run<float>(-1000, 2, 0.5F);
}

TEST_P(DeviceSortedColumns, OfKeysOfEightBytes) {
  run<std::uint64_t>(1, 1, 1);
  run<std::uint64_t>(5, 1, std::uint64_t{1} << 40);
  run<std::int64_t>(-50'000, 3, std::int64_t{1} << 40);
  run<double>(-1000, 2, 1e12);
}

TEST_P(DeviceSortedColumns, WithIncludedValues) {
  if (GetParam().starts_with("hash")) GTEST_SKIP() << "a hash table includes no values";
  for (const std::uint64_t scale : {std::uint64_t{3}, std::uint64_t{1} << 40}) {
    std::vector<std::uint64_t> keys(50'021), values(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = i / 2 * scale;
      values[i] = i * 7919 % 1000;
    }
    const Index index = build(keys, GetParam(), {.include = values});
    const Answers found = index.lookup(keys, Answer::sum);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::size_t first = i / 2 * 2;
      const std::uint64_t sum = values[first] + (first + 1 < keys.size() ? values[first + 1] : 0);
      ASSERT_EQ(found.sum_as<std::uint64_t>()[i], sum) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cuda, DeviceSortedColumns,
                         testing::Values("rx:native@cuda", "sorted@cuda", "btree@cuda", "hash@cuda",
                                         "rx:optix@cuda,bucket=16"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
