// Joins on a GPU, of lookups in host and device memory into either: of unique and of repeated keys,
// in one segment and in several, with ranges and with neighbours, against a full scan.

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/cuda/runtime.hpp"
#include "support/changing_index.hpp"
#include "support/cuda/buffer.hpp"
#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/cuda/join_calls.hpp"
#include "support/cuda/neighbour_scan.hpp"
#include "support/lookups.hpp"
#include "support/oracle.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

// The row of each key's neighbour.
Matches scan_neighbours(const std::vector<Key>& table, const TestColumn& keys,
                        const NearestOptions& nearest) {
  Matches matches;
  for (const Key& key : keys.keys()) {
    const std::uint32_t row = scan_neighbour(table, key, nearest);
    matches.push_back(row == miss_row ? std::vector<std::uint32_t>{}
                                      : std::vector<std::uint32_t>{row});
  }
  return matches;
}

TestColumn with_some_nulls(const TestColumn& column, std::size_t at) {
  return with_nulls(column, [&](std::size_t row) { return row % 7 == at; });
}

using JoinCase = std::tuple<std::string, std::string>;

class DeviceJoins : public GpuTestWithParam<JoinCase> {
 protected:
  static void expect_joins_of(const ChangingIndex& table, MemorySpace space, Random& random) {
    const Index& index = table.index();
    const std::vector<Batch> batches =
        own_batches(TestColumn(table.shape(), table.keys()), 6, random);
    const TestColumn keys = with_some_nulls(batches[0].lower, 3);
    const PlacedColumn placed(space, keys.view());
    expect_every_join(index, Query::equal(placed.view()), scan(table.keys(), points(keys)));
    if (HasFatalFailure() || !index.supports(Answer::rows, QueryKind::range)) return;
    const TestColumn low = with_some_nulls(batches[1].lower, 1);
    const TestColumn high = with_some_nulls(batches[1].upper, 2);
    const PlacedColumn lower(space, low.view());
    const PlacedColumn upper(space, high.view());
    expect_every_join(index, Query::range(lower.view(), upper.view()),
                      scan(table.keys(), ranges(low, high)));
    if (HasFatalFailure() || !index.supports(Answer::any, QueryKind::nearest)) return;
    std::vector<NearestOptions> all = {{Direction::backward, true, {}},
                                       {Direction::forward, false, {}}};
    const Type last = parts_of(table.shape()).back().type;
    if (last != Type::string && last != Type::binary16)
      all.push_back({Direction::nearest, true, {}});
    for (const NearestOptions& nearest : all) {
      SCOPED_TRACE(text_of(nearest));
      expect_every_join(index, Query::nearest(placed.view(), nearest),
                        scan_neighbours(table.keys(), keys, nearest));
      if (HasFatalFailure()) return;
    }
  }
};

TEST_P(DeviceJoins, PairLikeAScan) {
  const auto& [spec, workload] = GetParam();
  // OptiX may run in software.
  const bool is_slow = spec.starts_with("rx:optix");
  ChangingIndex table(some_rows(workload, is_slow ? 60 : 250), spec, {.seed = 5});
  Random random(6);
  const int changes = is_slow ? 1 : 3;
  for (int change = 0; change <= changes; ++change) {
    SCOPED_TRACE(std::to_string(change) + " changes");
    for (const MemorySpace space : memory_spaces) {
      expect_joins_of(table, space, random);
      if (HasFatalFailure()) return;
    }
    table.random_change();
  }
}

std::vector<JoinCase> join_cases() {
  std::vector<JoinCase> cases;
  for (const char* const spec : {"rx:native@cuda", "hash@cuda"})
    for (const char* const workload :
         {"sparse_u64", "duplicates_x256", "nulls_dense_u32", "any_bits_f32", "same_head_strings",
          "nulls_long_strings", "nulls_in_parts", "nulls_in_wide_parts", "string_int", "no_strings",
          "sparse_i128", "decimals_128", "nulls_binary_uuids", "int_i128_int"})
      cases.emplace_back(spec, workload);
  for (const char* const spec : {"sorted@cuda", "btree@cuda"})
    for (const char* const workload :
         {"duplicates_x256", "same_head_strings", "nulls_in_parts", "binary_uuids"})
      cases.emplace_back(spec, workload);
  if (is_available("rx:optix@cuda"))
    for (const char* const workload : {"nulls_dense_u32", "short_strings", "binary_uuids"})
      cases.emplace_back("rx:optix@cuda", workload);
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Cuda, DeviceJoins, testing::ValuesIn(join_cases()), [](const auto& item) {
  return test_name(std::get<0>(item.param)) + "_" + std::get<1>(item.param);
});

using UniqueDeviceJoins = GpuTest;

// Unique keys, whose rows are found once and compacted.
TEST_F(UniqueDeviceJoins, PairEveryKey) {
  constexpr std::uint32_t size = 100'000;
  std::vector<std::uint32_t> keys(size);
  for (std::uint32_t row = 0; row < size; ++row) keys[row] = 2 * ((row * 7919U) % size);
  std::vector<std::uint32_t> lookups(size);
  for (std::uint32_t i = 0; i < size; ++i) lookups[i] = (i * 104'729U) % (2 * size);
  std::vector<std::uint32_t> row_of(std::size_t{2} * size, miss_row);
  for (std::uint32_t row = 0; row < size; ++row) row_of[keys[row]] = row;
  Matches matches;
  for (const std::uint32_t key : lookups)
    matches.push_back(row_of[key] == miss_row ? std::vector<std::uint32_t>{}
                                              : std::vector<std::uint32_t>{row_of[key]});
  const ColumnOnGpu on_gpu{ColumnView(lookups)};
  for (const char* const spec : {"rx:native@cuda", "hash@cuda"}) {
    const Index index = build(keys, spec);
    for (const JoinKind how : {JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti})
      for (const JoinOrder order : {JoinOrder::lookups, JoinOrder::any})
        for (const std::size_t capacity : {size, size / 4})
          expect_join_in(MemorySpace::device, index, Query::equal(on_gpu.view()), how, order,
                         matches, capacity);
  }
}

using LargeDeviceJoins = GpuTest;

// Many blocks of lookups with a few rows each, and some lookups whose pairs all blocks write.
TEST_F(LargeDeviceJoins, PairEveryRowOfShortAndLongLookups) {
  constexpr std::uint32_t size = 100'000;
  constexpr std::uint32_t frequent = 20'000;  // rows with key 1
  constexpr std::uint32_t keys_of_others = 30'000;
  std::vector<std::uint32_t> keys(size, 1);
  std::vector<std::vector<std::uint32_t>> rows_of(keys_of_others + 10);
  for (std::uint32_t row = frequent; row < size; ++row)
    keys[row] = 2 + (row * 7919U) % keys_of_others;
  for (const bool is_changed : {false, true}) {
    Index index = build(keys, "rx:native@cuda");
    for (auto& rows : rows_of) rows.clear();
    for (std::uint32_t row = 0; row < size; ++row)
      if (!is_changed || row % 100 != 7) rows_of[keys[row]].push_back(row);
    if (is_changed) {
      std::vector<std::uint32_t> erased;
      for (std::uint32_t row = 7; row < size; row += 100) erased.push_back(row);
      index.erase(erased);
      const std::uint32_t first =
          index.insert(std::vector<std::uint32_t>{1, 3, keys_of_others + 5});
      rows_of[1].push_back(first);
      rows_of[3].push_back(first + 1);
      rows_of[keys_of_others + 5].push_back(first + 2);
    }
    std::vector<std::uint32_t> lookups(5'000);
    for (std::uint32_t i = 0; i < lookups.size(); ++i)
      lookups[i] = i % 1500 == 700 ? 1 : 2 + (i * 104'729U) % (keys_of_others + 7);
    Matches matches;
    for (const std::uint32_t key : lookups) matches.push_back(rows_of[key]);
    const ColumnOnGpu on_gpu{ColumnView(lookups)};
    const Query query = Query::equal(on_gpu.view());
    for (const JoinKind how : {JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti}) {
      const std::size_t pairs = joined_lookups(matches, how).size();
      for (const JoinOrder order : {JoinOrder::lookups, JoinOrder::any})
        for (const std::size_t capacity : {pairs, pairs / 2, std::size_t{0}})
          expect_join_in(MemorySpace::device, index, query, how, order, matches, capacity);
      // One lookup alone exceeds some batches.
      for (const std::size_t max_pairs : {std::size_t{7'000}, std::size_t{25'000}})
        expect_batches_on_device(index, query, how, matches, max_pairs);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(DeviceJoinsOfTheCpu, AreRejected) {
  const std::vector<std::uint32_t> keys = {1, 2, 3};
  const Index index = build(keys, "sorted@cpu");
  std::uint64_t count = 0;
  const JoinOutputs outputs{.count = &count, .memory_space = MemorySpace::device};
  EXPECT_EQ(error_of([&] { index.join_into(Query::equal(keys), JoinKind::inner, outputs); }),
            ErrorKind::invalid_argument);
}

using DeviceJoinErrors = GpuTest;

TEST_F(DeviceJoinErrors, SayWhatIsMissing) {
  const std::vector<std::uint32_t> keys = {1, 2, 3};
  const Index index = build(keys, "rx:native@cuda");
  const OnGpu found(8);
  EXPECT_TRUE(error_of([&] {
    index.join_into(Query::equal(keys), JoinKind::inner, {.memory_space = MemorySpace::device});
  }));
  JoinBatches batches(index, Query::equal(keys), JoinKind::inner, 2);
  EXPECT_TRUE(error_of([&] {
    static_cast<void>(batches.next_into(found.as<std::uint64_t>(), nullptr, MemorySpace::device));
  }));
  EXPECT_TRUE(error_of([&] {
    index.join_into(
        Query::equal(keys), JoinKind::inner,
        {.capacity = 3, .count = found.as<std::uint64_t>(), .memory_space = MemorySpace::device});
  }));
}

}  // namespace
}  // namespace rtindex::test
