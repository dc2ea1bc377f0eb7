// Which kernel a plan chooses, for every trait that it depends on.

#include "engine/plan.hpp"

#include <gtest/gtest.h>

#include <string>

namespace rtindex::test {
namespace {

const SegmentTraits grid{.unique_keys = true,
                         .ascending_rows = true,
                         .reads_elements = true,
                         .finds_first_rows = true,
                         .has_prefix_sums = true,
                         .fuses_sums = true,
                         .fuses_included_sums = true,
                         .fuses_pairs = true,
                         .fuses_as_newer = true};

SegmentTraits with_duplicates() {
  SegmentTraits traits = grid;
  traits.unique_keys = false;
  return traits;
}

TEST(Method, IsOneRowForPointsOfUniqueKeys) {
  EXPECT_EQ(method_of(grid, {.any = true}), Method::rows);
  EXPECT_EQ(method_of(grid, {.count = true, .rows = true, .values = true}), Method::rows);
}

TEST(Method, IsRunsForRangesAndForRowsInKeyOrder) {
  EXPECT_EQ(method_of(grid, {.kind = QueryKind::range, .any = true}), Method::runs);
  EXPECT_EQ(method_of(grid, {.rows = true, .key_order = true}), Method::runs);
}

TEST(Method, IsTheFirstRowOfDuplicatesWhereNothingElseIsWanted) {
  EXPECT_EQ(method_of(with_duplicates(), {.any = true}), Method::rows);
  EXPECT_EQ(method_of(with_duplicates(), {.first = true}), Method::rows);
  EXPECT_EQ(method_of(with_duplicates(), {.count = true}), Method::runs);
  EXPECT_EQ(method_of(with_duplicates(), {.any = true, .rows = true}), Method::runs);
  EXPECT_EQ(method_of(with_duplicates(), {.values = true}), Method::runs);
  SegmentTraits traits = with_duplicates();
  traits.ascending_rows = false;
  EXPECT_EQ(method_of(traits, {.any = true}), Method::rows);
  EXPECT_EQ(method_of(traits, {.first = true}), Method::runs);
  traits = with_duplicates();
  traits.has_deleted_rows = true;
  EXPECT_EQ(method_of(traits, {.any = true}), Method::runs);
  traits = with_duplicates();
  traits.compares_full_keys = true;
  EXPECT_EQ(method_of(traits, {.any = true}), Method::runs);
  traits = with_duplicates();
  traits.finds_first_rows = false;
  EXPECT_EQ(method_of(traits, {.any = true}), Method::runs);
}

TEST(Method, FusesSumsWhereTheyAreWantedAlone) {
  const BatchWants sum{.values = true, .sum_alone = true};
  EXPECT_EQ(method_of(grid, sum), Method::sums);
  BatchWants wants = sum;
  wants.counters = true;
  EXPECT_EQ(method_of(grid, wants), Method::rows);
  SegmentTraits traits = grid;
  traits.fuses_sums = false;
  EXPECT_EQ(method_of(traits, sum), Method::rows);
  traits = grid;
  traits.compares_full_keys = true;
  EXPECT_EQ(method_of(traits, sum), Method::rows);
  EXPECT_EQ(method_of(with_duplicates(), sum), Method::runs);
}

TEST(Method, SubtractsPrefixSumsOfIncludedValues) {
  const BatchWants sum{.values = true, .sum_alone = true, .included = true};
  EXPECT_EQ(method_of(grid, sum), Method::included_sums);
  EXPECT_EQ(method_of(with_duplicates(), sum), Method::included_sums);
  SegmentTraits floats = grid;
  floats.has_prefix_sums = false;
  EXPECT_EQ(method_of(floats, sum), Method::runs);
  BatchWants more = sum;
  more.sum_alone = false;
  EXPECT_EQ(method_of(grid, more), Method::runs);
}

TEST(Method, IsFoldingWhereRaysFoldTheirHits) {
  EXPECT_EQ(method_of({.folds_hits = true}, {.any = true}), Method::fold);
  EXPECT_EQ(method_of({.folds_hits = true}, {.kind = QueryKind::range, .rows = true}),
            Method::fold);
}

TEST(Pair, NeedsUniqueKeysAndElementsOfBothSegments) {
  const BatchWants any{.any = true};
  EXPECT_TRUE(can_pair(grid, grid, any));
  EXPECT_FALSE(can_pair(grid, with_duplicates(), any));
  EXPECT_FALSE(can_pair(with_duplicates(), grid, any));
  SegmentTraits encoded = grid;
  encoded.reads_elements = false;
  EXPECT_FALSE(can_pair(grid, encoded, any));
  EXPECT_FALSE(can_pair(encoded, grid, any));
  SegmentTraits tree = grid;
  tree.fuses_pairs = false;
  EXPECT_FALSE(can_pair(tree, tree, any));
  SegmentTraits sequence = grid;
  sequence.fuses_as_newer = false;
  EXPECT_TRUE(can_pair(sequence, grid, any));
  EXPECT_FALSE(can_pair(grid, sequence, any));
}

TEST(Pair, AnswersNeitherRowsNorIncludedValuesNorCounts) {
  EXPECT_TRUE(can_pair(grid, grid, {.count = true, .matched = true, .values = true}));
  EXPECT_FALSE(can_pair(grid, grid, {.rows = true}));
  EXPECT_FALSE(can_pair(grid, grid, {.values = true, .included = true}));
  EXPECT_FALSE(can_pair(grid, grid, {.any = true, .counters = true}));
  EXPECT_FALSE(can_pair(grid, grid, {.kind = QueryKind::range, .any = true}));
}

TEST(Plan, IsCapturableWhereItOnlyQueuesWork) {
  Plan plan;
  EXPECT_FALSE(plan.capturable());
  plan.on_gpu = plan.on_callers_stream = true;
  EXPECT_TRUE(plan.capturable());
  for (bool Plan::*const step : {&Plan::fetches_lookups, &Plan::orders_on_host,
                                 &Plan::copies_values, &Plan::counts_on_host, &Plan::measures}) {
    Plan waiting = plan;
    waiting.*step = true;
    EXPECT_FALSE(waiting.capturable());
  }
}

TEST(Plan, DescribesEverySegmentOnce) {
  Plan plan;
  plan.on_gpu = plan.on_callers_stream = true;
  plan.segments = 2;
  plan.steps[0] = {Method::runs, true, true, false};
  plan.steps[1] = {Method::rows, false, false, true};
  const std::string text = plan.describe();
  EXPECT_NE(text.find("segment 0: find runs"), std::string::npos) << text;
  EXPECT_NE(text.find("segment 1: find one row"), std::string::npos) << text;
  EXPECT_NE(text.find("capturable: yes"), std::string::npos) << text;
  plan.steps[0].method = plan.steps[1].method = Method::pair;
  EXPECT_EQ(plan.describe().find("segment 1"), std::string::npos);
}

}  // namespace
}  // namespace rtindex::test
