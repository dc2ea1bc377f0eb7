// Intervals by rays of OptiX, with every choice of the scene that matters for them.

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "kinds/optix/library.hpp"
#include "support/checker.hpp"
#include "support/intervals.hpp"

namespace rtindex::test {
namespace {

class OptixIntervals : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (optix::unusable()) GTEST_SKIP() << *optix::unusable();
  }
};

void expect_matches(const Index& index, const IntervalTable& table, Random& random) {
  const TestColumn values = random_values(table.rows.size(), random);
  for (const auto& [kind, ends] : every_interval_query()) {
    SCOPED_TRACE(std::string(name_of(kind)) + std::string(name_of(ends)));
    const IntervalBatch batch = random_batch(table, kind, ends, 40, random);
    const Matches matches = scan(table, batch);
    const Batch shown{QueryKind::range, batch.lower_column, batch.upper_column};
    // Rays fold all answers but the last row and the rows themselves.
    for (const AnswerSet answers :
         {Answer::any | Answer::first | Answer::count | Answer::sum | Answer::min | Answer::max,
          Answer::last | Answer::rows | Answer::count, AnswerSet(Answer::any)}) {
      AnswerOptions options{.answers = answers, .matched = true};
      if (answers.has(Answer::sum)) options.values = values.view();
      ASSERT_EQ(first_difference(plain_answers(index.answer(batch.query(), options), options),
                                 options, shown, matches, values),
                "");
    }
  }
}

// Keys from 0 to 1,999: many rows and planes with few bits.
TEST_P(OptixIntervals, MatchTheScan) {
  Random random(51);
  const PointValues values{"int32", {Type::i32}, wholes(0, 1, 2000)};
  const LeadingValues none = every_leading().front();
  for (const Ends ends : every_ends) {
    IntervalTable table = random_table(values, none, ends, 400, random);
    const TestColumn column = table.column(table.rows);
    Index index = build(IntervalTable::view(column, ends), "rx:optix," + GetParam());
    ASSERT_NO_FATAL_FAILURE(expect_matches(index, table, random));
    const std::vector<std::uint32_t> erased = {1, 7, 31, 32, 399};
    index.erase(erased);
    for (const std::uint32_t row : erased) table.erased[row] = true;
    ASSERT_NO_FATAL_FAILURE(expect_matches(index, table, random));
    ASSERT_NO_FATAL_FAILURE(expect_matches(deserialize(index.serialize()), table, random));
  }
}

INSTANTIATE_TEST_SUITE_P(Options, OptixIntervals,
                         testing::Values("mode=3d", "bits=3+3+23", "bits=2+2+23,split=7",
                                         "bits=0+5+23,compact=on", "bits=5+0+23,range=zero",
                                         "mode=naive,scale=2^4", "mode=extended",
                                         "primitive=sphere", "primitive=aabb,point=offset",
                                         "update=refit,compact=on", "row_rays=all,bits=2+2+23",
                                         "bucket=4"),
                         [](const auto& item) {
                           std::string name;
                           for (const char c : item.param) name += std::isalnum(c) != 0 ? c : '_';
                           return name;
                         });

class OptixIntervalRays : public testing::Test {
 protected:
  void SetUp() override {
    if (optix::unusable()) GTEST_SKIP() << *optix::unusable();
  }
};

// Eight intervals of two keys, in rows of four keys.
TEST_F(OptixIntervalRays, CrossTheKeyAndRunAlongItsRow) {
  std::vector<std::uint32_t> starts;
  std::vector<std::uint32_t> ends;
  for (std::uint32_t i = 0; i < 8; ++i) {
    starts.push_back(2 * i);
    ends.push_back(2 * i + 1);
  }
  const Index index =
      build(ColumnView::intervals(starts, ends, Ends::closed), "rx:optix,bits=2+23+23");
  const auto work_of = [&](const Query& query) {
    Counters counters;
    static_cast<void>(index.answer(query, {.answers = Answer::count}, {.counters = &counters}));
    return counters;
  };
  using Keys = std::vector<std::uint32_t>;
  const Counters contained = work_of(Query::contains(Keys{5}));
  EXPECT_EQ(contained.rays, 1U);
  EXPECT_EQ(contained.hits, 1U);
  // Through 1, then along three rows from 2 to 9.
  const Counters overlapping = work_of(Query::overlaps(Keys{1}, Keys{9}));
  EXPECT_EQ(overlapping.rays, 4U);
  EXPECT_EQ(overlapping.hits, 5U);
  EXPECT_EQ(work_of(Query::within(Keys{2}, Keys{3})).rays, 1U);
  EXPECT_EQ(work_of(Query::overlaps(Keys{9}, Keys{5})), Counters{});
  EXPECT_EQ(work_of(Query::contains(Keys{16})), Counters{});
}

TEST_F(OptixIntervalRays, NeedExactBoxes) {
  const std::vector<std::uint64_t> starts = {0, 5};
  const std::vector<std::uint64_t> ends = {3, std::uint64_t{1} << 23};
  const ColumnView column = ColumnView::intervals(starts, ends, Ends::closed);
  try {
    static_cast<void>(build(column, "rx:optix,mode=naive"));
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("row 1"), std::string::npos) << error.what();
  }
}

TEST_F(OptixIntervalRays, AreDescribed) {
  const std::vector<std::uint32_t> starts = {1, 3};
  const std::vector<std::uint32_t> ends = {2, 6};
  const Index index =
      build(ColumnView::intervals(starts, ends, Ends::closed), "rx:optix,bits=2+23+23");
  // Key 0 is the first start: the intervals are 0 to 1, and 2 to 5 in two rows.
  EXPECT_NE(index.describe().find("2 intervals as 3 boxes"), std::string::npos) << index.describe();
  std::size_t parts = 0;
  for (const auto& part : index.memory_usage().parts) parts += part.second;
  EXPECT_EQ(parts, index.memory_usage().resident);
}

}  // namespace
}  // namespace rtindex::test
