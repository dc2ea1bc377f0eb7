// Joins of every index, as a whole and in parts, against a scan of the table.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/changing_index.hpp"
#include "support/join_oracle.hpp"
#include "support/lookups.hpp"
#include "support/order_oracle.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

constexpr std::size_t whole = 0;  // in place of a size of parts

class Joins : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  // Calls join(how, most, take) for every kind of join and for parts of several sizes.
  static void expect_joins(
      const std::string& name, const Matches& matches,
      const std::function<JoinedRows(JoinKind)>& join,
      const std::function<void(JoinKind, std::size_t, const TakeJoined&)>& join_in_parts) {
    for (const JoinKind how : {JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti})
      for (const std::size_t most : {whole, std::size_t{1}, std::size_t{7}, std::size_t{5000}}) {
        JoinedRows joined;
        if (most == whole)
          joined = join(how);
        else
          join_in_parts(how, most, [&](const JoinedRows& part) {
            EXPECT_LE(part.lookups.size(), most);
            joined.lookups.insert(joined.lookups.end(), part.lookups.begin(), part.lookups.end());
            joined.rows.insert(joined.rows.end(), part.rows.begin(), part.rows.end());
          });
        EXPECT_EQ(join_difference(joined, matches, how), "") << name << " in parts of " << most;
      }
  }
};

TEST_P(Joins, AreThoseOfAScan) {
  const auto& [spec, workload] = GetParam();
  ChangingIndex table(some_rows(workload, affordable(160, 40)), spec, {.seed = 3});
  for (int changes = 0; changes < 4; ++changes) table.random_change();
  const Index& index = table.index();
  Random random(4);
  const std::vector<Batch> batches =
      own_batches(TestColumn(table.shape(), table.keys()), 8, random);
  const ColumnView keys = batches[0].lower.view();
  expect_joins(
      "join", scan(table.keys(), batches[0]), [&](JoinKind how) { return index.join(keys, how); },
      [&](JoinKind how, std::size_t most, const TakeJoined& take) {
        index.join_in_parts(keys, how, most, take);
      });
  const ColumnView lower = batches[1].lower.view();
  const ColumnView upper = batches[1].upper.view();
  if (supports(index, Answer::rows, LookupKind::range))
    expect_joins(
        "range join", scan(table.keys(), batches[1]),
        [&](JoinKind how) { return index.join_range(lower, upper, how); },
        [&](JoinKind how, std::size_t most, const TakeJoined& take) {
          index.join_range_in_parts(lower, upper, how, Ends::closed, most, take);
        });
  if (!keeps_order(index)) return;
  // Neighbours themselves are compared with a sorted list elsewhere.
  for (const Direction direction : {Direction::backward, Direction::forward}) {
    const NearestOptions nearest{.direction = direction};
    const Answers neighbours = index.nearest(keys, nearest);
    Matches matches;
    for (const std::uint32_t row : neighbours.any())
      matches.push_back(row == miss_row ? std::vector<std::uint32_t>() : std::vector{row});
    expect_joins(
        "as-of join", matches, [&](JoinKind how) { return index.join_asof(keys, nearest, how); },
        [&](JoinKind how, std::size_t most, const TakeJoined& take) {
          index.join_asof_in_parts(keys, nearest, how, most, take);
        });
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

// Changes that the receiver of a part makes are not in the parts after it.
TEST(JoinsInParts, AreOfTheIndexAsItWasWhenTheCallBegan) {
  const std::vector<int> keys = {4, 2, 3, 1};
  Index index = build(keys, "sorted@cpu,delta=0");
  const Matches matches = {{0}, {1}, {2}, {3}};
  JoinedRows joined;
  std::uint32_t changes = 0;
  index.join_range_in_parts(keys, keys, JoinKind::inner, Ends::closed, 1,
                            [&](const JoinedRows& part) {
                              joined.lookups.push_back(part.lookups.at(0));
                              joined.rows.push_back(part.rows.at(0));
                              index.insert(keys);
                              index.erase(std::vector<std::uint32_t>{changes++});
                            });
  EXPECT_EQ(changes, 4U);
  EXPECT_EQ(join_difference(joined, matches, JoinKind::inner), "");
}

// The checker itself refuses what is wrong.
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
  EXPECT_NE(join_difference({{0, 0, 2}, {1, 3, 2}}, matches, JoinKind::left), "");
}

}  // namespace
}  // namespace rtindex::test
