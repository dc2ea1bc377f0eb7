// Joins of every index and every kind of query, at once, into buffers and in batches, against a
// scan of the table.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/changing_index.hpp"
#include "support/join_oracle.hpp"
#include "support/joins.hpp"
#include "support/lookups.hpp"
#include "support/order_oracle.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

class Joins : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

// The rows that begin with each prefix, by a scan.
Matches scan_prefixes(const std::vector<Key>& keys, const std::vector<std::string>& prefixes) {
  Matches matches(prefixes.size());
  for (std::uint32_t row = 0; row < keys.size(); ++row) {
    if (is_null(keys[row])) continue;
    const auto& text = std::get<std::string>(keys[row].front());
    for (std::size_t i = 0; i < prefixes.size(); ++i)
      if (text.starts_with(prefixes[i])) matches[i].push_back(row);
  }
  return matches;
}

// The beginnings of some keys.
std::vector<std::string> some_prefixes(const std::vector<Key>& keys, Random& random) {
  std::vector<std::string> prefixes = {"", "\xff"};
  for (const Key& key : keys)
    if (!is_null(key) && random.one_in(8)) {
      const auto& text = std::get<std::string>(key.front());
      prefixes.push_back(text.substr(0, random.bits() % (text.size() + 1)));
    }
  return prefixes;
}

TEST_P(Joins, ReturnThePairsOfAScan) {
  const auto& [spec, workload] = GetParam();
  ChangingIndex table(some_rows(workload, affordable(160, 40)), spec, {.seed = 3});
  for (int changes = 0; changes < 4; ++changes) table.random_change();
  const Index& index = table.index();
  Random random(4);
  const std::vector<Batch> batches =
      own_batches(TestColumn(table.shape(), table.keys()), 8, random);
  const ColumnView keys = batches[0].lower.view();
  expect_joins(index, Query::equal(keys), scan(table.keys(), batches[0]));
  if (supports(index, Answer::rows, QueryKind::range))
    expect_joins(index, Query::range(batches[1].lower.view(), batches[1].upper.view()),
                 scan(table.keys(), batches[1]));
  if (supports(index, Answer::rows, QueryKind::prefix)) {
    const std::vector<std::string> prefixes = some_prefixes(table.keys(), random);
    expect_joins(index, Query::prefix(prefixes), scan_prefixes(table.keys(), prefixes));
  }
  if (!keeps_order(index)) return;
  // Neighbours themselves are compared with a sorted list elsewhere.
  for (const Direction direction : {Direction::backward, Direction::forward}) {
    const Query query = Query::nearest(keys, {.direction = direction});
    const Answers neighbours = index.answer(query);
    Matches matches;
    for (const std::uint32_t row : neighbours.any())
      matches.push_back(row == miss_row ? std::vector<std::uint32_t>() : std::vector{row});
    expect_joins(index, query, matches);
  }
}

INSTANTIATE_TEST_SUITE_P(Indexes, Joins,
                         testing::Combine(testing::ValuesIn(usable_and_bucketed()),
                                          testing::Values("duplicates_x256", "nulls_sparse_u64",
                                                          "any_bits_f32", "same_head_strings",
                                                          "nulls_in_parts", "empty_u32")),
                         [](const auto& tested) {
                           return test_name(std::get<0>(tested.param)) + "_" +
                                  std::get<1>(tested.param);
                         });

// Batches and matches that are large enough for parts by key, several threads and a rest beyond the
// expected number of pairs; of rows that are deleted and filtered too.
TEST(JoinsInAnyOrder, ReturnAllPairsOfLargeBatches) {
  const auto rows = static_cast<std::uint32_t>(affordable(200'000, 20'000));
  std::vector<std::uint32_t> keys(rows);
  // Every tenth row has the same key, all others are unique.
  for (std::uint32_t row = 0; row < rows; ++row) keys[row] = row % 10 == 0 ? 5 : row * 7919U % rows;
  std::vector<std::uint32_t> lookups(std::size_t{70'000} / (200'000 / rows));
  for (std::uint32_t i = 0; i < lookups.size(); ++i) lookups[i] = (i * 104'729U) % rows | 64U;
  for (std::size_t i : {std::size_t{3}, lookups.size() - 2}) lookups[i] = 5;
  std::vector<std::uint8_t> some_rows((rows + 7) / 8, 0xb7);
  for (const char* const spec :
       {"sorted@cpu,order=on", "btree@cpu,order=on", "rx:native@cpu", "hash@cpu"}) {
    Index index = build(keys, spec);
    index.erase(std::vector<std::uint32_t>{7, 10, 501, rows - 1});
    index.insert(std::vector<std::uint32_t>{5, 71, 64});
    std::vector<std::uint8_t> filter = some_rows;
    filter.resize((index.size() + 7) / 8, 0xff);
    for (const Query& query :
         {Query::equal(lookups),
          Query::equal(lookups).with_filter({.bits = filter.data(), .rows = index.size()})}) {
      const Answers found = index.answer(query, {.answers = Answer::rows});
      Matches matches(lookups.size());
      for (std::size_t i = 0; i < lookups.size(); ++i) {
        matches[i].assign(found.rows(i).begin(), found.rows(i).end());
        std::sort(matches[i].begin(), matches[i].end());
      }
      for (const JoinKind how : {JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti}) {
        const JoinOptions options{.order = JoinOrder::any};
        EXPECT_EQ(join_difference(index.join(query, how, options), matches, how, JoinOrder::any),
                  "")
            << spec;
        EXPECT_EQ(partial_join_difference(joined_into(index, query, how, options, 3), matches, how),
                  "")
            << spec;
      }
    }
  }
}

TEST(JoinBatches, RejectMissingBuffersAndTheDeviceMemoryOfAnIndexOnTheCpu) {
  const std::vector<int> keys = {4, 2, 3, 1};
  const Index index = build(keys, "sorted@cpu");
  std::vector<std::uint64_t> lookups(2);
  std::vector<std::uint32_t> rows(2);
  JoinBatches batches(index, Query::equal(keys), JoinKind::inner, 2);
  EXPECT_THROW(static_cast<void>(batches.next_into(nullptr, rows.data(), MemorySpace::host)),
               Error);
  EXPECT_THROW(static_cast<void>(batches.next_into(lookups.data(), nullptr, MemorySpace::host)),
               Error);
  EXPECT_THROW(
      static_cast<void>(batches.next_into(lookups.data(), rows.data(), MemorySpace::device)),
      Error);
}

// Changes that the callback makes are not in later batches.
TEST(JoinBatches, AreOfTheIndexAsItWasWhenTheCallBegan) {
  const std::vector<int> keys = {4, 2, 3, 1};
  Index index = build(keys, "sorted@cpu,delta=0");
  const Matches matches = {{0}, {1}, {2}, {3}};
  JoinedRows joined;
  std::uint32_t changes = 0;
  index.join_batches(Query::range(keys, keys), JoinKind::inner, 1, [&](const JoinedRows& part) {
    joined.lookups.push_back(part.lookups.at(0));
    joined.rows.push_back(part.rows.at(0));
    index.insert(keys);
    index.erase(std::vector<std::uint32_t>{changes++});
  });
  EXPECT_EQ(changes, 4U);
  EXPECT_EQ(join_difference(joined, matches, JoinKind::inner), "");
}

// The checker itself rejects what is wrong.
TEST(JoinOracle, RejectsWrongPairs) {
  const Matches matches = {{1, 3}, {}, {2}};
  EXPECT_EQ(join_difference({{0, 0, 2}, {1, 3, 2}}, matches, JoinKind::inner), "");
  EXPECT_EQ(join_difference({{0, 0, 1, 2}, {1, 3, miss_row, 2}}, matches, JoinKind::left), "");
  EXPECT_EQ(join_difference({{0, 2}, {}}, matches, JoinKind::semi), "");
  EXPECT_EQ(join_difference({{1}, {}}, matches, JoinKind::anti), "");
  for (const JoinedRows& wrong : std::vector<JoinedRows>{{{0, 0}, {1, 3}},
                                                         {{0, 0, 2, 2}, {1, 3, 2, 2}},
                                                         {{0, 0, 2}, {1, 3, 1}},
                                                         {{2, 0, 0}, {2, 1, 3}},
                                                         {{0, 0, 2}, {1, 3}}})
    EXPECT_NE(join_difference(wrong, matches, JoinKind::inner), "");
  EXPECT_NE(join_difference({{0, 1, 2}, {}}, matches, JoinKind::semi), "");
  EXPECT_EQ(join_difference({{2, 0, 0}, {2, 3, 1}}, matches, JoinKind::inner, JoinOrder::any), "");
  EXPECT_EQ(partial_join_difference({{2, 0}, {2, 3}}, matches, JoinKind::inner), "");
  EXPECT_NE(partial_join_difference({{2, 2}, {2, 2}}, matches, JoinKind::inner), "");
  EXPECT_NE(partial_join_difference({{2, 0}, {2, 2}}, matches, JoinKind::inner), "");
  EXPECT_NE(join_difference({{0, 0, 2}, {1, 3, 2}}, matches, JoinKind::left), "");
}

}  // namespace
}  // namespace rtindex::test
