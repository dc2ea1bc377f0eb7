// Keys are routed to partitions, and what belongs to them comes back in their order.

#include <rtindex/partition.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <rtindex/answer.hpp>
#include <rtindex/error.hpp>

#include "support/run.hpp"

namespace rtindex::test {
namespace {

TEST(Partitions, BeginWithTheirBounds) {
  const std::vector<double> bounds = {-1, 2.5, 2.5, std::nan("")};
  const std::vector<double> keys = {
      -std::numeric_limits<double>::infinity(), -1, 0, 2.5, 3, std::nan("")};
  std::vector<std::uint16_t> found(keys.size());
  find_partitions(keys, {bounds}, 0, found);
  EXPECT_EQ(found, (std::vector<std::uint16_t>{0, 1, 1, 3, 3, 4}));
}

TEST(Partitions, OfEqualKeysBeginAtTheRowsOfTheirBounds) {
  const std::vector<int> bounds = {5, 5, 5, 9};
  const std::vector<std::uint64_t> rows = {10, 12, 14, 0};
  const std::vector<int> keys(6, 5);
  std::vector<std::uint16_t> found(keys.size());
  find_partitions(keys, {bounds, rows}, 9, found);
  EXPECT_EQ(found, (std::vector<std::uint16_t>{0, 1, 1, 2, 2, 3}));
}

TEST(Partitions, AreTheNumberOfBoundsThatAreNotAfterAKey) {
  std::mt19937_64 random(7);
  for (const std::size_t count : {1U, 8U, 9U, 300U, 65535U}) {
    std::vector<std::uint32_t> bounds(count);
    for (std::uint32_t& bound : bounds) bound = static_cast<std::uint32_t>(random()) % 100'000;
    std::sort(bounds.begin(), bounds.end());
    std::vector<std::uint32_t> keys(70'000);
    for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random()) % 110'000;
    std::vector<std::uint16_t> found(keys.size());
    find_partitions(keys, {bounds}, 0, found, 2);
    for (std::size_t i = 0; i < keys.size(); ++i)
      ASSERT_EQ(found[i], std::upper_bound(bounds.begin(), bounds.end(), keys[i]) - bounds.begin());
  }
}

TEST(Partitions, AreGroupedAndUngrouped) {
  std::mt19937_64 random(11);
  const std::size_t count = 7;
  std::vector<std::uint16_t> partitions(150'000);
  for (std::uint16_t& partition : partitions)
    partition = static_cast<std::uint16_t>(random() % count);
  std::vector<std::uint32_t> rows(partitions.size());
  for (std::uint32_t& row : rows) row = random() % 3 == 0 ? miss_row : random() % 1000;
  std::vector<std::uint32_t> grouped(rows.size()), positions(rows.size());
  std::vector<std::uint64_t> starts(count + 1);
  group_by_partition(partitions, rows, grouped.data(), positions.data(), starts);

  std::vector<std::uint32_t> expected(rows.size());
  std::iota(expected.begin(), expected.end(), 0U);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return partitions[a] < partitions[b]; });
  EXPECT_EQ(positions, expected);
  for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(grouped[i], rows[expected[i]]);
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_EQ(starts[i + 1] - starts[i], std::count(partitions.begin(), partitions.end(), i));

  const ColumnView all(grouped);
  const std::vector<PartitionSlice> slices = {
      {all.slice(0, starts[3]), 3}, {all.slice(starts[3], rows.size() - starts[3]), count - 3}};
  std::vector<std::uint32_t> back(rows.size());
  ungroup_partitions(partitions, slices, back.data(), sizeof(std::uint32_t));
  EXPECT_EQ(back, rows);
  std::vector<std::uint64_t> wide(rows.size()), widened(rows.size());
  ungroup_partitions(partitions, slices, wide.data(), sizeof(std::uint64_t), Widen::rows);
  widen_rows(rows, widened);
  EXPECT_EQ(wide, widened);
  for (std::size_t i = 0; i < rows.size(); ++i)
    ASSERT_EQ(wide[i], rows[i] == miss_row ? ~std::uint64_t{0} : rows[i]);
}

TEST(Partitions, HaveRowsOfTheWholeColumn) {
  const std::vector<std::uint32_t> local = {2, miss_row, 0};
  const std::vector<std::uint64_t> rows = {70, 80, std::uint64_t{1} << 40};
  std::vector<std::uint64_t> global(local.size());
  global_rows(local, rows, global.data());
  EXPECT_EQ(global, (std::vector<std::uint64_t>{std::uint64_t{1} << 40, ~std::uint64_t{0}, 70}));
}

TEST(Partitions, RejectArraysThatDoNotFit) {
  const std::vector<std::uint32_t> numbers = {1, 2, 3};
  const std::vector<std::int32_t> others = {1, 2, 3};
  std::vector<std::uint16_t> partitions(3, 0);
  std::vector<std::uint64_t> starts(2), out(3);
  const auto rejected = [](auto&& call) {
    return error_of(std::forward<decltype(call)>(call)) == ErrorKind::invalid_argument;
  };
  EXPECT_TRUE(rejected([&] { find_partitions(numbers, {others}, 0, partitions); }));
  EXPECT_TRUE(rejected(
      [&] { find_partitions(numbers, {ColumnView(numbers).slice(0, 0)}, 0, partitions); }));
  EXPECT_TRUE(rejected([&] { find_partitions(numbers, {numbers, starts}, 0, partitions); }));
  EXPECT_TRUE(rejected([&] {
    find_partitions(ColumnView(std::vector<std::string>{"a"}), {numbers}, 0, partitions);
  }));
  EXPECT_TRUE(rejected([&] {
    group_by_partition(partitions, ColumnView(numbers).slice(0, 2), out.data(), nullptr, starts);
  }));
  const std::vector<PartitionSlice> few = {{ColumnView(numbers).slice(0, 2), 1}};
  EXPECT_TRUE(rejected([&] { ungroup_partitions(partitions, few, out.data(), 8); }));
  const std::vector<PartitionSlice> wide = {{starts, 1}};
  EXPECT_TRUE(rejected([&] { ungroup_partitions(partitions, wide, out.data(), 4); }));
  EXPECT_TRUE(rejected([&] { global_rows(numbers, others, out.data()); }));
}

TEST(Partitions, RejectNumbersAndRowsThatAreNotThere) {
  const std::vector<std::uint16_t> partitions = {0, 1, 2};
  const std::vector<std::uint32_t> elements = {7, 8, 9};
  std::vector<std::uint32_t> out(3);
  std::vector<std::uint64_t> starts(3);
  EXPECT_THROW(group_by_partition(partitions, elements, out.data(), nullptr, starts), Error);
  const std::vector<std::uint32_t> local = {0, miss_row, 3};
  EXPECT_THROW(global_rows(local, elements, out.data()), Error);
}

}  // namespace
}  // namespace rtindex::test
