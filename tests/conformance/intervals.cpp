// Columns of intervals in every index that holds them.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/intervals.hpp"
#include "support/specs.hpp"
#include "support/temporary_folder.hpp"

namespace rtindex::test {
namespace {

class Intervals : public testing::TestWithParam<std::string> {};

// The values are included where the index can.
BuildOptions including(const std::string& spec, const ColumnView& values) {
  BuildOptions options;
  if (includes_values(spec)) options.include = values;
  return options;
}

TEST_P(Intervals, MatchTheScan) {
  Random random(33);
  std::size_t turn = 0;
  for (const PointValues& values : every_values())
    for (const LeadingValues& leading : every_leading())
      for (int pair = 0; pair < 2; ++pair) {  // of ends, in turn
        const Ends ends = every_ends[turn++ % std::size(every_ends)];
        SCOPED_TRACE(values.name + leading.name);
        const IntervalTable table = random_table(values, leading, ends, 70, random);
        const TestColumn column = table.column(table.rows);
        const TestColumn included = random_values(table.rows.size(), random);
        const Index index = build(IntervalTable::view(column, ends), GetParam(),
                                  including(GetParam(), included.view()));
        ASSERT_EQ(index.interval_ends(), ends);
        ASSERT_NO_FATAL_FAILURE(expect_answers(index, table, included, random));
      }
}

TEST_P(Intervals, AreFoundAmongMany) {
  Random random(34);
  const PointValues values{"int32", {Type::i32}, wholes(-5000, 3, 3000)};
  const LeadingValues leading = every_leading().front();
  for (const std::size_t size : {0, 1, 15, 16, 17, 255, 256, 257, 5000}) {
    SCOPED_TRACE(size);
    const IntervalTable table = random_table(values, leading, Ends::right_open, size, random);
    const TestColumn column = table.column(table.rows);
    const TestColumn included = random_values(size, random);
    const Index index = build(IntervalTable::view(column, table.ends), GetParam(),
                              including(GetParam(), included.view()));
    ASSERT_NO_FATAL_FAILURE(expect_answers(index, table, included, random));
  }
}

TEST_P(Intervals, ChangeLikeKeys) {
  Random random(35);
  for (const PointValues& values : every_values()) {
    if (values.name != "int32" && values.name != "long_string" && values.name != "double") continue;
    for (const LeadingValues& leading : every_leading()) {
      SCOPED_TRACE(values.name + leading.name);
      IntervalTable table = random_table(values, leading, Ends::right_open, 60, random);
      const TestColumn column = table.column(table.rows);
      std::vector<Key> included = random_values(table.rows.size(), random).keys();
      const auto included_column = [&] { return TestColumn({Type::i32}, included); };
      Index index = build(IntervalTable::view(column, table.ends), GetParam() + ",delta=20",
                          including(GetParam(), included_column().view()));
      for (int round = 0; round < 4; ++round) {
        std::vector<Key> added;
        for (int i = 0; i < 5; ++i) added.push_back(random_interval(values, leading, random));
        const TestColumn new_rows = table.column(added);
        const TestColumn new_values = random_values(added.size(), random);
        if (includes_values(GetParam()))
          index.insert(IntervalTable::view(new_rows, table.ends), new_values.view());
        else
          index.insert(IntervalTable::view(new_rows, table.ends));
        table.rows.insert(table.rows.end(), added.begin(), added.end());
        table.erased.resize(table.rows.size(), false);
        included.insert(included.end(), new_values.keys().begin(), new_values.keys().end());
        const std::vector<std::uint32_t> valid = valid_rows(table.erased, random);
        const std::vector<std::uint32_t> erased(valid.begin(), valid.begin() + 3);
        index.erase(erased);
        for (const std::uint32_t row : erased) table.erased[row] = true;
        const std::vector<std::uint32_t> moved(valid.begin() + 3, valid.begin() + 7);
        std::vector<Key> new_keys;
        for (const std::uint32_t row : moved) {
          new_keys.push_back(random_interval(values, leading, random));
          table.rows[row] = new_keys.back();
        }
        const TestColumn new_column = table.column(new_keys);
        index.update(moved, IntervalTable::view(new_column, table.ends));
        const std::vector<std::uint32_t> set(valid.begin() + 5, valid.begin() + 9);
        const TestColumn set_values = random_values(set.size(), random);
        if (includes_values(GetParam())) index.set_included(set, set_values.view());
        for (std::size_t i = 0; i < set.size(); ++i) included[set[i]] = set_values.keys()[i];
        if (round == 2) index.merge();
        const Index snapshot = index.snapshot();
        ASSERT_NO_FATAL_FAILURE(expect_answers(snapshot, table, included_column(), random));
        const Index copy = deserialize(index.serialize());
        ASSERT_EQ(copy.interval_ends(), table.ends);
        ASSERT_NO_FATAL_FAILURE(expect_answers(copy, table, included_column(), random));
      }
    }
  }
}

TEST_P(Intervals, AreFilteredByRows) {
  Random random(36);
  const PointValues values{"int32", {Type::i32}, wholes(0, 1, 100)};
  const LeadingValues leading = every_leading().front();
  IntervalTable table = random_table(values, leading, Ends::closed, 500, random);
  const TestColumn column = table.column(table.rows);
  const Index index = build(IntervalTable::view(column, table.ends), GetParam());
  std::vector<std::uint8_t> bits(bitmap_bytes(table.rows.size()));
  for (std::uint8_t& byte : bits) byte = static_cast<std::uint8_t>(random.bits());
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    table.erased[row] = (bits[row / 8] >> row % 8 & 1) == 0;
  const IntervalBatch batch = random_batch(table, QueryKind::overlaps, Ends::closed, 100, random);
  const Matches matches = scan(table, batch);
  const Query query = batch.query().with_filter({bits.data(), table.rows.size()});
  for (const AnswerSet answers : {AnswerSet(Answer::count), Answer::count | Answer::rows}) {
    const Answers found = index.answer(query, {.answers = answers});
    for (std::size_t i = 0; i < matches.size(); ++i) ASSERT_EQ(found.count()[i], matches[i].size());
  }
}

// Queries without one of their ends.
TEST_P(Intervals, OverlapRangesWithoutABound) {
  const std::vector<int> starts = {1, 5, 9};
  const std::vector<int> ends = {4, 6, 20};
  const Index index = build(ColumnView::intervals(starts, ends, Ends::right_open), GetParam());
  const std::vector<int> keys = {0, 4, 5, 20};
  const auto counts = [&](const Query& query) {
    const Answers found = index.answer(query, {.answers = Answer::count | Answer::any});
    const Answers ranked = index.answer(query, {.answers = Answer::count});
    EXPECT_TRUE(std::ranges::equal(found.count(), ranked.count()));
    return std::vector<std::uint32_t>(found.count().begin(), found.count().end());
  };
  using Counts = std::vector<std::uint32_t>;
  EXPECT_EQ(counts(Query::overlaps(keys, {})), (Counts{3, 2, 2, 0}));
  EXPECT_EQ(counts(Query::overlaps({}, keys)), (Counts{0, 1, 2, 3}));
  EXPECT_EQ(counts(Query::overlaps({}, {})), (Counts{3}));
  EXPECT_EQ(counts(Query::within(keys, {})), (Counts{3, 2, 2, 0}));
  EXPECT_EQ(counts(Query::within({}, keys)), (Counts{0, 1, 1, 3}));
}

// Most are still valid: their ends are one long run, far above the starts.
TEST_P(Intervals, HaveTheSameEnd) {
  constexpr std::uint32_t size = 30'000;
  // Rays meet all of them.
  const std::uint32_t rows = GetParam().starts_with("rx:native") ? size : 300;
  std::vector<std::int64_t> starts(rows);
  for (std::uint32_t row = 0; row < rows; ++row) starts[row] = row / 2;
  const std::vector<std::int64_t> ends(rows, 1'000'000'000'000);
  const TemporaryFolder folder(TemporaryFolder::Medium::memory);
  build(ColumnView::intervals(starts, ends, Ends::right_open), GetParam())
      .save(folder.file("a.rtindex"));
  Index index = load(folder.file("a.rtindex"));
  const std::vector<std::int64_t> keys = {-1, 0, 5, 999'999'999'999, 1'000'000'000'000};
  const auto counts = [&] {
    const Answers found = index.answer(Query::contains(keys), {.answers = Answer::count});
    return std::vector<std::uint32_t>(found.count().begin(), found.count().end());
  };
  using Counts = std::vector<std::uint32_t>;
  EXPECT_EQ(counts(), (Counts{0, 2, 12, rows, 0}));
  index.erase(std::vector<std::uint32_t>{0, 1});
  index.merge();
  EXPECT_EQ(counts(), (Counts{0, 0, 10, rows - 2, 0}));
}

// Rays of OptiX alone find no neighbours among ends.
TEST_P(Intervals, HaveANearestOne) {
  const std::vector<int> starts = {1, 4, 10, 10, 20};
  const std::vector<int> ends = {4, 4, 12, 15, 22};
  const Index index = build(ColumnView::intervals(starts, ends, Ends::closed), GetParam());
  const std::vector<int> keys = {0, 3, 5, 7, 16, 17, 18, 30};
  const Query query = Query::nearest(keys, {.direction = Direction::nearest});
  const bool are_rays =
      GetParam().starts_with("rx:optix") && GetParam().find("bucket") == std::string::npos;
  ASSERT_EQ(index.supports(Answer::any, QueryKind::nearest), !are_rays);
  if (are_rays) {
    EXPECT_THROW(static_cast<void>(index.answer(query)), Error);
    return;
  }
  const Answers found = index.answer(query, {.answers = Answer::any | Answer::count});
  using Rows = std::vector<std::uint32_t>;
  EXPECT_EQ(Rows(found.any().begin(), found.any().end()), (Rows{0, 0, 0, 0, 3, 3, 4, 4}));
  EXPECT_EQ(Rows(found.count().begin(), found.count().end()), (Rows{1, 1, 2, 4, 1, 1, 1, 1}));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Intervals, testing::ValuesIn(interval_specs()),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
