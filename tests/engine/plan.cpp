// Which kernel a plan chooses, for every trait that it depends on.

#include "engine/plan.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/batch_runner.hpp"
#include "keys/codecs.hpp"

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

TEST(Method, ReadsTheFirstRowOfDuplicatesForAny) {
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

TEST(Method, FusesSumsRequestedAlone) {
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

TEST(Method, SubtractsRanksForCountsAndSumsOfIncludedIntegers) {
  const SegmentTraits integers{.intervals = true, .has_prefix_sums = true};
  const SegmentTraits floats{.intervals = true};
  const auto wants = [](Answer answer, bool included, QueryKind kind = QueryKind::contains) {
    return BatchWants::of(kind, {.answers = answer, .included = included});
  };
  EXPECT_EQ(method_of(floats, wants(Answer::count, false)), Method::ranks);
  EXPECT_EQ(method_of(floats, wants(Answer::count, false, QueryKind::overlaps)), Method::ranks);
  EXPECT_EQ(method_of(integers, wants(Answer::sum, true)), Method::ranks);
  EXPECT_TRUE(ranks_are_enough(
      integers, BatchWants::of(QueryKind::contains,
                               {.answers = Answer::sum | Answer::count, .included = true})));
  for (const Answer answer : {Answer::any, Answer::first, Answer::last, Answer::rows, Answer::min,
                              Answer::max, Answer::mean})
    EXPECT_EQ(method_of(integers, wants(answer, true)), Method::walk) << name_of(answer);
  EXPECT_EQ(method_of(integers, wants(Answer::sum, false)), Method::walk);
  EXPECT_EQ(method_of(floats, wants(Answer::sum, true)), Method::walk);
  EXPECT_EQ(method_of(integers, wants(Answer::count, false, QueryKind::within)), Method::walk);
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
  for (bool Plan::*const step :
       {&Plan::fetches_lookups, &Plan::orders_on_host, &Plan::copies_values, &Plan::counts_on_host,
        &Plan::measures, &Plan::casts_rays}) {
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

TEST(Plan, CountsSegmentsBeyondItsSteps) {
  const std::vector<std::uint64_t> keys = {3, 1};
  const ColumnView column(keys);
  const std::shared_ptr<KeyCodec> codec = make_native_codec(column);
  const auto describe = [&](std::size_t segments) {
    const std::vector<Segment> all(segments, {codec, nullptr, nullptr});
    return plan_of(all, BatchQuery::equal(column), {.answers = Answer::any}).describe();
  };
  EXPECT_EQ(describe(Plan::max_segments).find("more segment"), std::string::npos);
  EXPECT_NE(describe(Plan::max_segments + 1).find("and 1 more segment\n"), std::string::npos);
  EXPECT_NE(describe(Plan::max_segments + 4).find("and 4 more segments\n"), std::string::npos);
}

TEST(Plan, NamesTheOutputs) {
  const auto outputs = [](const Request& request) {
    Plan plan;
    plan.set_outputs(request);
    const std::string text = plan.describe();
    const std::size_t begin = text.find("outputs: ");
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  EXPECT_EQ(outputs({}), "outputs: none");
  EXPECT_EQ(outputs({.answers = Answer::any}), "outputs: any");
  std::uint8_t bits = 0;
  EXPECT_EQ(outputs({.answers = Answer::sum | Answer::bitmaps, .outputs = {.matched = &bits}}),
            "outputs: sum, bitmaps, matched");
  const JoinRequest join{};
  EXPECT_EQ(outputs({.join = &join}), "outputs: pairs");
}

}  // namespace
}  // namespace rtindex::test
