// Columns of intervals on a GPU, built and searched in host and device memory, against a full scan
// and against the index of the CPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/checker.hpp"
#include "support/cuda/answer_calls.hpp"
#include "support/cuda/buffer.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/cuda/join_calls.hpp"
#include "support/intervals.hpp"
#include "support/nearest_intervals.hpp"

namespace rtindex::test {
namespace {

// Intervals in one memory space.
class PlacedIntervals {
 public:
  PlacedIntervals(MemorySpace space, const ColumnView& intervals)
      : parts_(space, ColumnView::composite({intervals.parts().begin(), intervals.parts().end()})) {
    const std::span<const ColumnView> parts = parts_.view().parts();
    view_ = ColumnView::intervals(parts[parts.size() - 2], parts.back(), *intervals.interval_ends(),
                                  {parts.begin(), parts.end() - 2});
  }
  [[nodiscard]] const ColumnView& view() const { return view_; }

 private:
  PlacedColumn parts_;
  ColumnView view_;
};

// A query whose ends are in one memory space.
class PlacedQuery {
 public:
  PlacedQuery(MemorySpace space, const Query& query)
      : query_(query), lower_(space, query.lower), upper_(space, query.upper) {
    query_.lower = lower_.view();
    query_.upper = upper_.view();
  }
  [[nodiscard]] const Query& get() const { return query_; }

 private:
  Query query_;
  PlacedColumn lower_, upper_;
};

class DeviceIntervals : public GpuIndexTest {
 protected:
  // Both spaces for every query, and every join of each, would take minutes.
  static MemorySpace some_space(Random& random) {
    return memory_spaces[random.bits() % std::size(memory_spaces)];
  }

  static void expect_everything(const Index& index, const IntervalTable& table, std::size_t queries,
                                Random& random) {
    const TestColumn values = random_values(table.rows.size(), random);
    // Every kind of query, with its ends in turn.
    for (const auto& [kind, ends] : every_interval_query()) {
      if (kind != QueryKind::contains && ends != every_ends[random.bits() % std::size(every_ends)])
        continue;
      SCOPED_TRACE(std::string(name_of(kind)) + std::string(name_of(ends)));
      const IntervalBatch batch = random_batch(table, kind, ends, queries, random);
      const Matches matches = scan(table, batch);
      expect_answers(index, batch, matches, values, random);
      if (HasFatalFailure()) return;
      if (random.one_in(3))
        expect_every_join(index, PlacedQuery(some_space(random), batch.query()).get(), matches);
      if (HasFatalFailure()) return;
    }
    if (index.supports(Answer::any, QueryKind::nearest))
      expect_closest(index, table, values, queries, random);
  }

  static void expect_answers(const Index& index, const IntervalBatch& batch, const Matches& matches,
                             const TestColumn& values, Random& random) {
    const MemorySpace space = some_space(random);
    const PlacedQuery query(space, batch.query());
    const PlacedColumn placed(space, values.view());
    AnswerOptions all{.answers = Answer::any | Answer::first | Answer::last | Answer::count |
                                 Answer::sum | Answer::min | Answer::max | Answer::mean |
                                 Answer::rows,
                      .values = placed.view()};
    all.matched = true;
    const Batch shown{QueryKind::range, batch.lower_column, batch.upper_column};
    ASSERT_EQ(first_difference(every_answer_in(space, index, query.get(), all), all, shown, matches,
                               values),
              "");
    Buffer counts(space, 4 * matches.size());
    Outputs outputs;
    outputs.count = counts.as<std::uint32_t>();
    outputs.memory_space = space;
    index.answer_into(query.get(), {}, outputs);
    require(cudaStreamSynchronize(nullptr));
    const auto found = counts.read<std::uint32_t>();
    for (std::size_t i = 0; i < matches.size(); ++i) ASSERT_EQ(found[i], matches[i].size()) << i;
  }

  static void expect_closest(const Index& index, const IntervalTable& table,
                             const TestColumn& values, std::size_t queries, Random& random) {
    for (const NearestOptions& how : every_nearest(table)) {
      SCOPED_TRACE(std::string(name_of(how.direction)) + (how.exact ? "" : " not exact") +
                   (how.tolerance.index() == 0 ? "" : " within a tolerance"));
      const NearestBatch batch = random_nearest(table, how, queries, random);
      const Matches matches = scan(table, batch);
      const Batch shown{QueryKind::equal, batch.column, batch.column};
      const MemorySpace space = some_space(random);
      Query placed = batch.query();
      const PlacedColumn keys(space, placed.lower);
      placed.lower = keys.view();
      const PlacedColumn placed_values(space, values.view());
      AnswerOptions all{.answers = Answer::any | Answer::first | Answer::last | Answer::count |
                                   Answer::sum | Answer::min | Answer::max | Answer::mean |
                                   Answer::rows,
                        .values = placed_values.view()};
      all.matched = true;
      ASSERT_EQ(
          first_difference(every_answer_in(space, index, placed, all), all, shown, matches, values),
          "");
      all.order = RowOrder::ascending;
      ASSERT_EQ(
          first_difference(every_answer_in(space, index, placed, all), all, shown, matches, values),
          "");
      Buffer rows(space, 4 * queries);
      Outputs outputs;
      outputs.any = rows.as<std::uint32_t>();
      outputs.memory_space = space;
      index.answer_into(placed, {}, outputs);
      require(cudaStreamSynchronize(nullptr));
      const auto found = rows.read<std::uint32_t>();
      for (std::size_t i = 0; i < queries; ++i)
        ASSERT_EQ(found[i], matches[i].empty() ? miss_row : matches[i].front()) << i;
      if (random.one_in(3)) expect_every_join(index, placed, matches);
      if (HasFatalFailure()) return;
    }
  }
};

// Deleted rows and several segments: the least distance over all of them.
TEST_P(DeviceIntervals, HaveNearestOnesAfterChanges) {
  Random random(44);
  const PointValues values{"int32", {Type::i32}, wholes(-300, 3, 200)};
  const LeadingValues none = every_leading().front();
  IntervalTable table = random_table(values, none, Ends::right_open, 60, random);
  const TestColumn column = table.column(table.rows);
  Index index = build(IntervalTable::view(column, table.ends), GetParam() + ",delta=1000");
  if (!index.supports(Answer::any, QueryKind::nearest)) GTEST_SKIP() << "no order of ends";
  for (int round = 0; round < 3; ++round) {
    std::vector<Key> added;
    for (int i = 0; i < 5; ++i) added.push_back(random_interval(values, none, random));
    const TestColumn new_rows = table.column(added);
    index.insert(IntervalTable::view(new_rows, table.ends));
    table.rows.insert(table.rows.end(), added.begin(), added.end());
    table.erased.resize(table.rows.size(), false);
    std::vector<std::uint32_t> erased;
    for (std::uint32_t row = 0; row < table.rows.size(); ++row)
      if (!table.erased[row] && random.one_in(5)) erased.push_back(row);
    index.erase(erased);
    for (const std::uint32_t row : erased) table.erased[row] = true;
    expect_closest(index, table, random_values(table.rows.size(), random), 30, random);
    if (HasFatalFailure()) return;
  }
}

TEST_P(DeviceIntervals, AreFoundInEveryMemorySpace) {
  Random random(41);
  std::size_t turn = 0;
  for (const PointValues& values : every_values())
    for (const LeadingValues& leading : every_leading())
      for (const MemorySpace space : memory_spaces) {
        SCOPED_TRACE(values.name + leading.name);
        const Ends ends = every_ends[turn++ % std::size(every_ends)];
        const IntervalTable table = random_table(values, leading, ends, 90, random);
        const TestColumn column = table.column(table.rows);
        const PlacedIntervals placed(space, IntervalTable::view(column, ends));
        const Index index = build(placed.view(), GetParam());
        expect_everything(index, table, 20, random);
        if (HasFatalFailure()) return;
      }
}

// Rows: start and end of each.
IntervalTable table_of(const PointValues& values, const LeadingValues& none, Ends ends,
                       std::vector<std::pair<Whole, Whole>> rows) {
  IntervalTable table{&values, &none, ends, {}, std::vector<bool>(rows.size(), false)};
  for (const auto& [start, end] : rows) table.rows.push_back({start, end});
  return table;
}

TEST_P(DeviceIntervals, SurviveHardShapes) {
  Random random(42);
  const LeadingValues none = every_leading().front();
  const Whole most = largest_of(Type::u64);
  std::vector<Part> points = wholes(0, 1, 300);
  points.emplace_back(most - 1);
  points.emplace_back(most);
  const PointValues values{"uint64", {Type::u64}, points};
  std::vector<std::vector<std::pair<Whole, Whole>>> shapes = {{}, {{0, most}}, {{most, most}}};
  auto& nested = shapes.emplace_back();
  for (Whole i = 0; i < 140; ++i) nested.emplace_back(i, 299 - i);
  auto& over_all = shapes.emplace_back();
  over_all.emplace_back(0, most);
  for (Whole i = 0; i < 299; ++i) over_all.emplace_back(i, i + 1);
  auto& equal = shapes.emplace_back();
  for (Whole i = 0; i < 300; ++i) equal.emplace_back(7, 9);
  auto& empty = shapes.emplace_back();
  for (Whole i = 0; i < 40; ++i) empty.emplace_back(i, i);
  for (const auto& shape : shapes)
    for (const Ends ends : every_ends) {
      SCOPED_TRACE(std::to_string(shape.size()) + " intervals " + std::string(name_of(ends)));
      const IntervalTable table = table_of(values, none, ends, shape);
      const TestColumn column = table.column(table.rows);
      const Index index = build(IntervalTable::view(column, ends), GetParam());
      expect_everything(index, table, 12, random);
      if (HasFatalFailure()) return;
    }
}

TEST_P(DeviceIntervals, AnswerAnEmptyBatch) {
  const std::vector<int> starts = {1, 5};
  const std::vector<int> ends = {3, 9};
  const Index index = build(ColumnView::intervals(starts, ends, Ends::closed), GetParam());
  const std::vector<int> none;
  EXPECT_EQ(index.answer(Query::contains(none), {.answers = Answer::count}).size(), 0U);
  EXPECT_TRUE(index.join(Query::overlaps(none, none)).lookups.empty());
}

TEST_P(DeviceIntervals, RejectWrongColumnsOnTheDevice) {
  const auto message_of = [&](const ColumnView& starts, const ColumnView& ends) {
    const PlacedColumn start(MemorySpace::device, starts);
    const PlacedColumn end(MemorySpace::device, ends);
    try {
      static_cast<void>(
          build(ColumnView::intervals(start.view(), end.view(), Ends::closed), GetParam()));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::vector<int> starts = {1, 5, 9};
  const std::vector<int> ends = {4, 4, 20};
  EXPECT_NE(message_of(starts, ends).find("row 1 ends at 4, before it starts at 5"),
            std::string::npos);
  const std::vector<double> reals = {1, 2, 3};
  const std::vector<double> nan = {4, std::nan(""), 20};
  EXPECT_NE(message_of(reals, nan).find("the end of the interval in row 1 is NaN"),
            std::string::npos);
}

// Many intervals of lengths with a heavy tail, and queries in every order.
TEST_P(DeviceIntervals, AgreeWithTheCpu) {
  Random random(43);
  // Rays in software take minutes for more.
  const std::size_t size = GetParam().starts_with("rx:optix") ? 4'000 : 200'000;
  const auto lengths = [&](double tail) {
    return static_cast<std::uint32_t>(std::min(
        1e8,
        1000 * (std::pow(static_cast<double>(random.below(1'000'000)) / 1e6 + 1e-7, -tail) - 0.5)));
  };
  for (const double tail : {0.1, 0.9}) {
    std::vector<std::uint32_t> starts(size), ends(size), low(size / 2), high(size / 2);
    for (std::size_t i = 0; i < size; ++i) {
      starts[i] = static_cast<std::uint32_t>(random.below(200'000'000));
      ends[i] = starts[i] + lengths(tail);
    }
    for (std::size_t i = 0; i < low.size(); ++i) {
      low[i] = static_cast<std::uint32_t>(random.below(220'000'000));
      high[i] = low[i] + static_cast<std::uint32_t>(random.below(2000));
    }
    low[7] = 0, high[7] = std::numeric_limits<std::uint32_t>::max();  // matches everything
    const ColumnView column = ColumnView::intervals(starts, ends, Ends::right_open);
    const Index expected = build(column, "rx:native@cpu");
    const Index index = build(PlacedIntervals(MemorySpace::device, column).view(), GetParam());
    for (const Query& query : {Query::contains(low), Query::overlaps(low, high),
                               Query::within(low, high), Query::covers(low, high)}) {
      SCOPED_TRACE(name_of(query.kind));
      const Answers found = expected.answer(query, {.answers = Answer::rows});
      const Answers ordered =
          expected.answer(query, {.answers = Answer::rows, .order = RowOrder::ascending});
      Matches matches;
      for (std::size_t i = 0; i < low.size(); ++i) {
        matches.emplace_back(found.rows(i).begin(), found.rows(i).end());
        std::ranges::sort(matches.back());
      }
      const std::size_t pairs = joined_lookups(matches, JoinKind::inner).size();
      for (const MemorySpace space : memory_spaces) {
        const PlacedQuery placed(space, query);
        for (const JoinKind how : {JoinKind::inner, JoinKind::left})
          for (const std::size_t capacity : {pairs + size, pairs / 2}) {
            expect_join_in(MemorySpace::device, index, placed.get(), how, JoinOrder::any, matches,
                           capacity);
            if (HasFatalFailure()) return;
          }
        const Answers counts = index.answer(placed.get(), {.answers = Answer::count});
        const Answers all = index.answer(
            placed.get(), {.answers = Answer::rows | Answer::first | Answer::last | Answer::count,
                           .order = RowOrder::ascending});
        for (std::size_t i = 0; i < low.size(); ++i) {
          ASSERT_EQ(counts.count()[i], matches[i].size()) << i;
          ASSERT_EQ(all.count()[i], matches[i].size()) << i;
          ASSERT_TRUE(std::ranges::equal(all.rows(i), ordered.rows(i))) << i;
          if (matches[i].empty()) continue;
          ASSERT_EQ(all.first()[i], *std::ranges::min_element(matches[i])) << i;
          ASSERT_EQ(all.last()[i], *std::ranges::max_element(matches[i])) << i;
        }
      }
    }
  }
}

// Neighbouring queries with many matches in common, of which some are deleted.
TEST_P(DeviceIntervals, JoinQueriesWithManyCommonMatches) {
  constexpr std::uint32_t size = 600;
  std::vector<std::uint32_t> starts(size), ends(size), points(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    starts[i] = 3 * (i * 7 % size);
    ends[i] = starts[i] + 500;
    points[i] = 3 * (i * 11 % size) + 1;
  }
  const ColumnView column = ColumnView::intervals(starts, ends, Ends::closed);
  Index index = build(PlacedIntervals(MemorySpace::device, column).view(), GetParam());
  for (const bool has_erased : {false, true}) {
    Matches matches(points.size());
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::uint32_t row = 0; row < size; ++row)
        if (starts[row] <= points[i] && points[i] <= ends[row] && (!has_erased || row % 20 != 0))
          matches[i].push_back(row);
    const std::size_t pairs = joined_lookups(matches, JoinKind::inner).size();
    const PlacedQuery query(MemorySpace::device, Query::contains(points));
    for (const JoinKind how : {JoinKind::inner, JoinKind::left})
      for (const std::size_t capacity : {pairs + size, pairs / 2}) {
        expect_join_in(MemorySpace::device, index, query.get(), how, JoinOrder::any, matches,
                       capacity);
        if (HasFatalFailure()) return;
      }
    if (has_erased) break;
    std::vector<std::uint32_t> erased;  // too few to be merged away
    for (std::uint32_t row = 0; row < size; row += 20) erased.push_back(row);
    index.erase(erased);
  }
}

INSTANTIATE_TEST_SUITE_P(Cuda, DeviceIntervals,
                         testing::Values("rx:native@cuda", "sorted@cuda", "btree@cuda",
                                         "rx:optix@cuda", "rx:optix@cuda,bucket=3",
                                         "rx:optix@cuda,bits=18+23+23,split=50000,compact=on"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
