#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#if defined(RTINDEX_HAS_CUDA)

#include "base/cuda/runtime.hpp"
#include "harness/measure.hpp"
#include "workload/changing_table.hpp"
#include "workload/column.hpp"
#include "workload/distributions.hpp"
#include "workload/lookups.hpp"

namespace rtindex::bench {
namespace {

// Workloads that a GPU makes are those that the host makes.
class DeviceWorkload : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda::unusable()) GTEST_SKIP() << *cuda::unusable();
    device_ = device_space();
  }
  [[nodiscard]] ExecutionSpace& host() const { return *host_; }
  [[nodiscard]] ExecutionSpace& device() const { return *device_; }

 private:
  std::unique_ptr<ExecutionSpace> host_ = host_space();
  std::unique_ptr<ExecutionSpace> device_;
};

// No powers of two, and more than a GPU has threads at once.
constexpr std::size_t size = 1'500'007;
constexpr std::size_t few = 700'001;

using MakeColumn = std::function<Column(ExecutionSpace&)>;

struct Named {
  std::string name;
  MakeColumn make;
};

std::vector<Named> columns() {
  return {
      {"dense", [](ExecutionSpace& p) { return dense_column(p, size, 32, 1); }},
      {"strided", [](ExecutionSpace& p) { return dense_column(p, size, 64, 1, 4); }},
      {"uniform 32", [](ExecutionSpace& p) { return uniform_column(p, size, 32, 1); }},
      {"uniform 64", [](ExecutionSpace& p) { return uniform_column(p, size, 64, 1); }},
      {"middle", [](ExecutionSpace& p) { return middle_column(p, size, 1); }},
      {"clustered", [](ExecutionSpace& p) { return clustered_column(p, size, 0.3, 1); }},
      {"repeated", [](ExecutionSpace& p) { return repeated_column(p, size, 16, 1); }},
      {"sorted", [](ExecutionSpace& p) { return in_key_order(repeated_column(p, size, 4, 1)); }}};
}

void expect_equal(const Lookups& a, const Lookups& b) {
  EXPECT_EQ(a.about, b.about);
  EXPECT_TRUE(a.lower.to_host() == b.lower.to_host());
  ASSERT_EQ(a.are_ranges(), b.are_ranges());
  if (a.are_ranges()) {
    EXPECT_TRUE(a.upper.to_host() == b.upper.to_host());
  }
  EXPECT_TRUE(a.expected.to_host() == b.expected.to_host());
}

TEST_F(DeviceWorkload, ColumnsEqualTheHosts) {
  for (const Named& column : columns()) {
    SCOPED_TRACE(column.name);
    const Column there = column.make(device());
    const Column here = column.make(host());
    EXPECT_EQ(there.about, here.about);
    EXPECT_TRUE(there.keys.to_host() == here.keys.to_host());
    EXPECT_TRUE(there.values.to_host() == here.values.to_host());
    EXPECT_TRUE(there.sums_of_equal.to_host() == here.sums_of_equal.to_host());
  }
}

TEST_F(DeviceWorkload, DistributionsEqualTheHosts) {
  for (const Distribution distribution : distributions())
    for (const int bits : {32, 64}) {
      SCOPED_TRACE(name_of(distribution));
      const auto there = distributed_keys(device(), distribution, size, bits, 1).to_host();
      const auto here = distributed_keys(host(), distribution, size, bits, 1).to_host();
      std::size_t different = 0;
      for (std::size_t row = 0; row < size; ++row) different += there[row] == here[row] ? 0 : 1;
      // Logarithms of Zipf's law are rounded differently.
      EXPECT_LE(different, distribution == Distribution::zipf ? size / 50000 : 0);
    }
}

TEST_F(DeviceWorkload, PointsEqualTheHosts) {
  for (const Named& column : columns()) {
    SCOPED_TRACE(column.name);
    const Column there = column.make(device());
    const Column here = column.make(host());
    expect_equal(hits_in(there, few, 2), hits_in(here, few, 2));
    expect_equal(rows_in(there, few, 2), rows_in(here, few, 2));
    const auto outside = [](const Column& c) {
      return with_hit_rate(c, few, 0.3, Misses::out_of_range, 1, 2);
    };
    if (column.name == "middle" || column.name == "clustered")
      expect_equal(outside(there), outside(here));
    const auto inside = [](const Column& c) {
      return with_hit_rate(c, few, 0.5, Misses::in_range, 1, 2);
    };
    if (column.name.starts_with("uniform")) expect_equal(inside(there), inside(here));
  }
}

TEST_F(DeviceWorkload, RangesEqualTheHosts) {
  for (const Named& column : columns()) {
    SCOPED_TRACE(column.name);
    const Ranked there(column.make(device()));
    const Ranked here(column.make(host()));
    expect_equal(ranges_of_hits(there, few, 64, 2), ranges_of_hits(here, few, 64, 2));
    expect_equal(ranges_over_rows(there, few, 7, 2), ranges_over_rows(here, few, 7, 2));
    expect_equal(ranges_of_span(there, few, 1 << 20, 2), ranges_of_span(here, few, 1 << 20, 2));
  }
}

// Logarithms are rounded differently: a few lookups are neighbours in rank, each with its own sum.
TEST_F(DeviceWorkload, SkewedPointsNearlyEqualTheHosts) {
  for (const double exponent : {0.0, 0.5, 1.0, 2.0}) {
    const Lookups there = skewed_hits_in(uniform_column(device(), size, 32, 1), few, exponent, 2);
    const Lookups here = skewed_hits_in(uniform_column(host(), size, 32, 1), few, exponent, 2);
    const auto keys = there.lower.to_host(), host_keys = here.lower.to_host();
    const auto sums = there.expected.to_host(), host_sums = here.expected.to_host();
    std::size_t different = 0;
    for (std::size_t i = 0; i < few; ++i) {
      different += keys[i] == host_keys[i] ? 0 : 1;
      if (keys[i] == host_keys[i]) {
        ASSERT_EQ(sums[i], host_sums[i]);
      }
    }
    EXPECT_LT(different, few / 50000) << "exponent " << exponent;
  }
}

TEST_F(DeviceWorkload, KeyOrderIsTheHosts) {
  for (const int bits : {32, 64}) {
    const Lookups there = hits_in(uniform_column(device(), 1000, bits, 1), few, 2);
    const Lookups here = hits_in(uniform_column(host(), 1000, bits, 1), few, 2);
    for (const std::size_t batch : {std::size_t{1}, std::size_t{100}, std::size_t{4096}, few})
      EXPECT_TRUE(expected_in_key_order(there, batch).to_host() ==
                  expected_in_key_order(here, batch).to_host())
          << bits << " bits, batches of " << batch;
  }
}

TEST_F(DeviceWorkload, SwapsEqualTheHosts) {
  for (const Neighbours neighbours : {Neighbours::positions, Neighbours::keys}) {
    Column there = dense_column(device(), size, 32, 1);
    Column here = dense_column(host(), size, 32, 1);
    const Swaps swaps = random_swaps(there, 10000, neighbours, 2);
    const Swaps host_swaps = random_swaps(here, 10000, neighbours, 2);
    EXPECT_TRUE(swaps.rows.to_host() == host_swaps.rows.to_host());
    EXPECT_TRUE(swaps.new_keys.to_host() == host_swaps.new_keys.to_host());
    Index index = build(there.keys.view(), "sorted@cuda");
    apply(swaps, index);
    apply(swaps, there);
    apply(host_swaps, here);
    EXPECT_TRUE(there.keys.to_host() == here.keys.to_host());
    const auto found = index.lookup(there.keys.view(), Answer::first);
    for (std::size_t row = 0; row < size; ++row) ASSERT_EQ(found.first()[row], row);
  }
}

TEST_F(DeviceWorkload, ChangingTablesEqualTheHosts) {
  for (const int bits : {32, 64}) {
    const ChangingTable::Shape shape{size, few, bits, NewKeys::narrow};
    ChangingTable there(device(), shape, 1);
    ChangingTable here(host(), shape, 1);
    Index index = build(there.column().keys.view(), "sorted@cuda");
    for (const Change change : {Change::insert, Change::update, Change::erase}) {
      const RowBatch batch = there.next(change, few);
      apply(batch, index);
      there.apply(batch);
      here.apply(here.next(change, few));
    }
    EXPECT_TRUE(there.column().keys.to_host() == here.column().keys.to_host());
    EXPECT_TRUE(there.valid_column().values.to_host() == here.valid_column().values.to_host());
    const Lookups lookups = there.hits_and_misses(few, 2);
    expect_equal(lookups, here.hits_and_misses(few, 2));
    EXPECT_EQ(time_lookups(index, there.column(), lookups, {.runs = 1}).status, "ok");
  }
}

TEST_F(DeviceWorkload, QueuesWaitForTheirOwnWork) {
  const Column column = uniform_column(device(), size, 32, 1);
  const Index index = build(column.keys.view(), "sorted@cuda");
  const Lookups lookups = hits_in(column, few, 2);
  const WorkloadArray<std::uint64_t> sums(device(), few);
  const auto queue = device().queue();
  EXPECT_NE(queue->stream().handle, nullptr);
  device().wait();
  index.answer_into(Query::equal(lookups.lower.view()),
                    {.values = view_of(column.values), .stream = queue->stream()},
                    {.sum = sums.data(), .memory_space = MemorySpace::device});
  queue->wait();
  check_sums(device(), sums.span(), lookups.expected.span(), "sorted@cuda");
}

TEST_F(DeviceWorkload, SortsLikeTheHost) {
  for (const int bits : {32, 64}) {
    const Column column = uniform_column(device(), size, bits, 1);
    device().sorter(size, bits)->sort(column.keys.data(), size);
    auto keys = uniform_column(host(), size, bits, 1).keys.to_host();
    std::sort(keys.begin(), keys.end());
    EXPECT_TRUE(column.keys.to_host() == keys);
  }
}

TEST_F(DeviceWorkload, CheckerRejectsAWrongSumAnywhere) {
  const Lookups lookups = hits_in(uniform_column(device(), size, 32, 1), few, 2);
  for (const std::size_t lookup : {std::size_t{0}, std::size_t{4711}, few - 1}) {
    const WorkloadArray<std::uint64_t> sums = lookups.expected.copy();
    check_sums(device(), sums.span(), lookups.expected.span(), "right");
    device().poison(sums.data() + lookup, sizeof(std::uint64_t));
    try {
      check_sums(device(), sums.span(), lookups.expected.span(), "wrong");
      ADD_FAILURE() << "lookup " << lookup << " was not rejected";
    } catch (const WrongAnswer& error) {
      EXPECT_NE(std::string(error.what()).find("lookup " + std::to_string(lookup) + " of"),
                std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace rtindex::bench

#endif
