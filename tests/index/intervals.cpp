// Columns of intervals against an oracle that tests every interval with every query by the plain
// meaning of the words.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/checker.hpp"
#include "support/join_oracle.hpp"
#include "support/random.hpp"
#include "support/specs.hpp"
#include "support/test_column.hpp"

namespace rtindex::test {
namespace {

constexpr Ends every_ends[] = {Ends::closed, Ends::right_open, Ends::left_open, Ends::open};

bool has_lower(Ends ends) { return ends == Ends::closed || ends == Ends::right_open; }
bool has_upper(Ends ends) { return ends == Ends::closed || ends == Ends::left_open; }

// The points between two of them.
struct Points {
  Part lower, upper;
  Ends ends;

  [[nodiscard]] bool empty() const {
    const int order = compare(lower, upper);
    return order > 0 || (order == 0 && ends != Ends::closed);
  }
  [[nodiscard]] bool starts_before_or_with(const Points& other) const {
    const int order = compare(lower, other.lower);
    return order < 0 || (order == 0 && (has_lower(ends) || !has_lower(other.ends)));
  }
  [[nodiscard]] bool ends_behind_or_with(const Points& other) const {
    const int order = compare(upper, other.upper);
    return order > 0 || (order == 0 && (has_upper(ends) || !has_upper(other.ends)));
  }
  [[nodiscard]] bool lies_before(const Points& other) const {
    const int order = compare(upper, other.lower);
    return order < 0 || (order == 0 && !(has_upper(ends) && has_lower(other.ends)));
  }
};

bool is_match(QueryKind kind, const Points& interval, const Points& query) {
  if (interval.empty() || query.empty()) return false;
  switch (kind) {
    case QueryKind::within:
      return query.starts_before_or_with(interval) && query.ends_behind_or_with(interval);
    case QueryKind::covers:
      return interval.starts_before_or_with(query) && interval.ends_behind_or_with(query);
    default: return !interval.lies_before(query) && !query.lies_before(interval);
  }
}

// The values of a type that intervals are made of, ascending.
struct Values {
  std::string name;
  Shape shape;
  std::vector<Part> values;
};

std::vector<Part> wholes(Whole first, Whole step, std::size_t count) {
  std::vector<Part> values;
  for (std::size_t i = 0; i < count; ++i) values.emplace_back(first + step * static_cast<Whole>(i));
  return values;
}

std::vector<Part> texts(const std::string& beginning, std::size_t count) {
  std::vector<Part> values;
  for (std::size_t i = 0; i < count; ++i)
    values.emplace_back(beginning + std::string(1, static_cast<char>('a' + i / 6)) +
                        std::string(i % 6, 'x'));
  return values;
}

std::vector<Values> every_values() {
  std::vector<Part> reals = {-HUGE_VAL, -1e300, -2.5};
  for (int i = 0; i < 60; ++i) reals.emplace_back(i * 0.25);
  reals.insert(reals.end(), {1e300, HUGE_VAL});
  return {{"int32", {Type::i32}, wholes(smallest_of(Type::i32), 71582788, 61)},
          {"uint8", {Type::u8}, wholes(0, 4, 64)},
          {"uint64", {Type::u64}, wholes(largest_of(Type::u64) - 60, 1, 61)},
          {"date", {Type::date32}, wholes(-20, 1, 50)},
          {"timestamp", {Type::timestamp64}, wholes(1700000000000, 3600000, 50)},
          {"double", {Type::f64}, reals},
          {"string", {Type::string}, texts("", 60)},
          {"long_string", {Type::string}, texts(std::string(60, 'q'), 60)},
          {"int128", {Type::i128}, wholes(-(Whole{1} << 100), Whole{1} << 95, 60)}};
}

struct Leading {
  std::string name;
  std::vector<Shape> shapes;
  std::vector<Key> values;
};

std::vector<Leading> every_leading() {
  return {{"", {}, {{}}},
          {"_by_uint8", {{Type::u8}}, {{Whole{0}}, {Whole{7}}, {Whole{255}}}},
          {"_by_string_int64",
           {{Type::string}, {Type::i64}},
           {{std::string("chr1"), smallest_of(Type::i64)},
            {std::string("chr1"), largest_of(Type::i64)},
            {std::string("chr10 and a long name of many letters"), Whole{0}},
            {std::string(), Whole{5}}}}};
}

// Intervals as rows: leading values, start and end.
struct Table {
  const Values* values;
  const Leading* leading;
  Ends ends;
  std::vector<Key> rows;
  std::vector<bool> erased;

  [[nodiscard]] TestColumn column(std::vector<Key> keys) const {
    Shape shape{Type::composite, Layout::strings, leading->shapes};
    shape.parts.push_back(values->shape);
    shape.parts.push_back(values->shape);
    return {shape, std::move(keys)};
  }
  [[nodiscard]] static ColumnView view(const TestColumn& column, Ends ends) {
    const ColumnView all = column.view();
    const std::span<const ColumnView> parts = all.parts();
    return ColumnView::intervals(parts[parts.size() - 2], parts.back(), ends,
                                 {parts.begin(), parts.end() - 2});
  }
  [[nodiscard]] std::optional<Points> interval(std::size_t row) const {
    if (erased[row] || is_null(rows[row])) return std::nullopt;
    return Points{rows[row][rows[row].size() - 2], rows[row].back(), ends};
  }
  [[nodiscard]] Key leading_of(std::size_t row) const {
    return {rows[row].begin(), rows[row].end() - 2};
  }
};

// Most intervals are short; some are long, one holds all others, some have one point or none.
Key random_interval(const Values& values, const Leading& leading, Random& random) {
  const std::size_t count = values.values.size();
  std::size_t first = random.below(count);
  std::size_t last = std::min(count - 1, first + random.below(4));
  if (random.one_in(10)) last = first + random.below(count - first);
  if (random.one_in(40)) first = 0, last = count - 1;
  Key key = random.pick(leading.values);
  key.push_back(values.values[first]);
  key.push_back(values.values[last]);
  if (random.one_in(15)) key[random.below(key.size())] = std::monostate{};
  return key;
}

Table random_table(const Values& values, const Leading& leading, Ends ends, std::size_t size,
                   Random& random) {
  Table table{&values, &leading, ends, {}, std::vector<bool>(size, false)};
  for (std::size_t i = 0; i < size; ++i)
    table.rows.push_back(random_interval(values, leading, random));
  return table;
}

// A batch of queries, whose columns it owns.
struct IntervalBatch {
  QueryKind kind;
  Ends ends;
  std::vector<Key> lower, upper;
  TestColumn lower_column, upper_column;

  [[nodiscard]] Query query() const {
    const auto view = [](const TestColumn& column) {
      const ColumnView all = column.view();
      return all.parts().size() == 1 ? all.parts()[0] : all;
    };
    switch (kind) {
      case QueryKind::contains: return Query::contains(view(lower_column));
      case QueryKind::overlaps:
        return Query::overlaps(view(lower_column), view(upper_column), ends);
      case QueryKind::within: return Query::within(view(lower_column), view(upper_column), ends);
      default: return Query::covers(view(lower_column), view(upper_column), ends);
    }
  }
};

IntervalBatch random_batch(const Table& table, QueryKind kind, Ends ends, std::size_t size,
                           Random& random) {
  IntervalBatch batch{kind, ends, {}, {}, {}, {}};
  const std::vector<Part>& values = table.values->values;
  for (std::size_t i = 0; i < size; ++i) {
    Key lower = random.pick(table.leading->values);
    Key upper = lower;
    const std::size_t first = random.below(values.size());
    std::size_t last = std::min(values.size() - 1, first + random.below(5));
    if (random.one_in(10)) last = random.below(values.size());  // perhaps before the first
    lower.push_back(values[first]);
    upper.push_back(values[kind == QueryKind::contains ? first : last]);
    if (random.one_in(20)) lower.back() = std::monostate{};
    if (kind == QueryKind::contains) upper = lower;
    batch.lower.push_back(lower);
    batch.upper.push_back(upper);
  }
  Shape shape{Type::composite, Layout::strings, table.leading->shapes};
  shape.parts.push_back(table.values->shape);
  batch.lower_column = TestColumn(shape, batch.lower);
  batch.upper_column = TestColumn(shape, batch.upper);
  return batch;
}

Matches scan(const Table& table, const IntervalBatch& batch) {
  Matches matches(batch.lower.size());
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const Key& lower = batch.lower[i];
    const Key& upper = batch.upper[i];
    if (is_null(lower) || is_null(upper)) continue;
    const Points query{lower.back(), upper.back(),
                       batch.kind == QueryKind::contains ? Ends::closed : batch.ends};
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      const std::optional<Points> interval = table.interval(row);
      if (interval && compare(table.leading_of(row), Key(lower.begin(), lower.end() - 1)) == 0 &&
          is_match(batch.kind, *interval, query))
        matches[i].push_back(static_cast<std::uint32_t>(row));
    }
  }
  return matches;
}

std::vector<std::pair<QueryKind, Ends>> every_query() {
  std::vector<std::pair<QueryKind, Ends>> queries = {{QueryKind::contains, Ends::closed}};
  for (const QueryKind kind : {QueryKind::overlaps, QueryKind::within, QueryKind::covers})
    for (const Ends ends : every_ends) queries.emplace_back(kind, ends);
  return queries;
}

constexpr AnswerSet all_but_rows = Answer::any | Answer::first | Answer::last | Answer::count |
                                   Answer::sum | Answer::min | Answer::max | Answer::mean |
                                   Answer::bitmap | Answer::bitmaps;

// Expects every answer to every kind of query. `values`: a value for each row, which the index
// includes as well.
void expect_answers(const Index& index, const Table& table, const TestColumn& values,
                    Random& random) {
  for (const auto& asked : every_query()) {
    const QueryKind kind = asked.first;
    const Ends ends = asked.second;
    const IntervalBatch batch = random_batch(table, kind, ends, 25, random);
    const Query query = batch.query();
    const Matches matches = scan(table, batch);
    const Batch shown{QueryKind::range, batch.lower_column, batch.upper_column};
    const auto expect = [&](const AnswerOptions& options) {
      const Answers answers = index.answer(query, options);
      ASSERT_EQ(first_difference(plain_answers(answers, options), options, shown, matches, values),
                "")
          << name_of(kind) << name_of(ends) << " of intervals " << name_of(table.ends);
    };
    AnswerOptions all{.answers = all_but_rows | Answer::rows, .values = values.view()};
    all.matched = true;
    expect(all);
    all.values = {};  // the included ones
    expect(all);
    expect({.answers = Answer::count | Answer::sum, .matched = true});
    expect({.answers = Answer::any});
    expect({.answers = {}, .matched = true});
    expect({.answers = Answer::rows, .limit = 2});
    for (const JoinKind how : {JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti})
      ASSERT_EQ(join_difference(index.join(query, how), matches, how), "");
    for (const RowOrder order : {RowOrder::ascending, RowOrder::descending})
      for (const std::uint32_t limit : {3U, no_limit}) {
        Matches sorted = matches;
        for (std::vector<std::uint32_t>& rows : sorted) {
          std::sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
            const int starts = compare(table.interval(a)->lower, table.interval(b)->lower);
            return starts != 0 ? starts < 0 : a < b;
          });
          if (order == RowOrder::descending) std::reverse(rows.begin(), rows.end());
          rows.resize(std::min<std::size_t>(rows.size(), limit));
        }
        const Answers found =
            index.answer(query, {.answers = Answer::rows, .limit = limit, .order = order});
        for (std::size_t i = 0; i < sorted.size(); ++i)
          ASSERT_TRUE(std::ranges::equal(found.rows(i), sorted[i]))
              << name_of(kind) << name_of(ends) << " query " << i;
      }
  }
}

class Intervals : public testing::TestWithParam<std::string> {};

TestColumn random_values(std::size_t size, Random& random) {
  std::vector<Whole> values(size);
  for (Whole& value : values) value = random.between(-1000000, 1000000);
  return integers(Type::i32, values);
}

TEST_P(Intervals, AreFoundLikeByTheScan) {
  Random random(33);
  std::size_t turn = 0;
  for (const Values& values : every_values())
    for (const Leading& leading : every_leading())
      for (int pair = 0; pair < 2; ++pair) {  // of ends, in turn
        const Ends ends = every_ends[turn++ % std::size(every_ends)];
        SCOPED_TRACE(values.name + leading.name);
        const Table table = random_table(values, leading, ends, 70, random);
        const TestColumn column = table.column(table.rows);
        const TestColumn included = random_values(table.rows.size(), random);
        const Index index =
            build(Table::view(column, ends), GetParam(), {.include = included.view()});
        ASSERT_EQ(index.interval_ends(), ends);
        ASSERT_NO_FATAL_FAILURE(expect_answers(index, table, included, random));
      }
}

TEST_P(Intervals, AreFoundAmongMany) {
  Random random(34);
  const Values values{"int32", {Type::i32}, wholes(-5000, 3, 3000)};
  const Leading leading = every_leading().front();
  for (const std::size_t size : {0, 1, 15, 16, 17, 255, 256, 257, 5000}) {
    SCOPED_TRACE(size);
    const Table table = random_table(values, leading, Ends::right_open, size, random);
    const TestColumn column = table.column(table.rows);
    const TestColumn included = random_values(size, random);
    const Index index =
        build(Table::view(column, table.ends), GetParam(), {.include = included.view()});
    ASSERT_NO_FATAL_FAILURE(expect_answers(index, table, included, random));
  }
}

TEST_P(Intervals, ChangeLikeKeys) {
  Random random(35);
  for (const Values& values : every_values()) {
    if (values.name != "int32" && values.name != "long_string" && values.name != "double") continue;
    for (const Leading& leading : every_leading()) {
      SCOPED_TRACE(values.name + leading.name);
      Table table = random_table(values, leading, Ends::right_open, 60, random);
      const TestColumn column = table.column(table.rows);
      std::vector<Key> included = random_values(table.rows.size(), random).keys();
      const auto included_column = [&] { return TestColumn({Type::i32}, included); };
      Index index = build(Table::view(column, table.ends), GetParam() + ",delta=20",
                          {.include = included_column().view()});
      for (int round = 0; round < 4; ++round) {
        std::vector<Key> added;
        for (int i = 0; i < 5; ++i) added.push_back(random_interval(values, leading, random));
        const TestColumn new_rows = table.column(added);
        const TestColumn new_values = random_values(added.size(), random);
        index.insert(Table::view(new_rows, table.ends), new_values.view());
        table.rows.insert(table.rows.end(), added.begin(), added.end());
        table.erased.resize(table.rows.size(), false);
        included.insert(included.end(), new_values.keys().begin(), new_values.keys().end());
        std::vector<std::uint32_t> live;
        for (std::uint32_t row = 0; row < table.rows.size(); ++row)
          if (!table.erased[row]) live.push_back(row);
        random.shuffle(live);
        const std::vector<std::uint32_t> erased(live.begin(), live.begin() + 3);
        index.erase(erased);
        for (const std::uint32_t row : erased) table.erased[row] = true;
        const std::vector<std::uint32_t> moved(live.begin() + 3, live.begin() + 7);
        std::vector<Key> new_keys;
        for (const std::uint32_t row : moved) {
          new_keys.push_back(random_interval(values, leading, random));
          table.rows[row] = new_keys.back();
        }
        const TestColumn new_column = table.column(new_keys);
        index.update(moved, Table::view(new_column, table.ends));
        const std::vector<std::uint32_t> set(live.begin() + 5, live.begin() + 9);
        const TestColumn set_values = random_values(set.size(), random);
        index.set_included(set, set_values.view());
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
  const Values values{"int32", {Type::i32}, wholes(0, 1, 100)};
  const Leading leading = every_leading().front();
  Table table = random_table(values, leading, Ends::closed, 500, random);
  const TestColumn column = table.column(table.rows);
  const Index index = build(Table::view(column, table.ends), GetParam());
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

INSTANTIATE_TEST_SUITE_P(Kinds, Intervals,
                         testing::Values("rx:native@cpu", "sorted@cpu", "btree@cpu"),
                         [](const auto& item) { return test_name(item.param); });

void expect_error(const std::function<void()>& call, const std::string& part) {
  try {
    call();
    FAIL() << "expected an error: " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(IntervalErrors, SayWhatToDo) {
  const std::vector<int> starts = {1, 5, 9};
  const std::vector<int> ends = {4, 6, 20};
  const std::vector<long> longs = {4, 6, 20};
  const std::vector<int> before = {4, 4, 20};
  const std::vector<double> reals = {1, 2, 3};
  const std::vector<double> nan = {4, std::nan(""), 20};
  const ColumnView column = ColumnView::intervals(starts, ends, Ends::closed);
  expect_error([&] { static_cast<void>(ColumnView::intervals(starts, longs, Ends::closed)); },
               "start with int32 values and end with int64");
  expect_error(
      [&] {
        static_cast<void>(build(ColumnView::intervals(starts, before, Ends::closed), "sorted@cpu"));
      },
      "the interval in row 1 ends at 4, before it starts at 5");
  expect_error(
      [&] {
        static_cast<void>(build(ColumnView::intervals(reals, nan, Ends::closed), "sorted@cpu"));
      },
      "the end of the interval in row 1 is NaN");
  expect_error([&] { static_cast<void>(build(column, "hash@cpu")); }, "intervals need an index");
  Index index = build(column, "rx:native@cpu");
  expect_error([&] { static_cast<void>(index.lookup(starts)); }, "holds intervals");
  expect_error([&] { static_cast<void>(index.answer(Query::nearest(starts))); }, "holds intervals");
  expect_error([&] { static_cast<void>(index.answer(Query::covers(starts, {}))); },
               "need both ends: pass upper");
  EXPECT_EQ(index.answer(Query::overlaps(starts, longs), {.answers = Answer::count}).count()[1],
            1U);
  const std::vector<std::string> words = {"a"};
  expect_error([&] { static_cast<void>(index.answer(Query::contains(words))); },
               "cannot be compared");
  expect_error([&] { static_cast<void>(index.answer(Query::contains(column))); },
               "expected keys, got intervals");
  expect_error([&] { index.insert(starts); }, "the index holds intervals, got int32 keys");
  expect_error([&] { index.insert(ColumnView::intervals(starts, ends, Ends::open)); },
               "the index holds intervals [], got intervals ()");
  expect_error([&] { index.insert(ColumnView::intervals(starts, before, Ends::closed)); },
               "row 1 ends at 4, before it starts at 5");
  EXPECT_EQ(index.size(), 3U);
  expect_error([&] { index.erase_keys(column); }, "erased by their rows");
  const Index keys = build(starts, "rx:native@cpu");
  expect_error([&] { static_cast<void>(keys.answer(Query::contains(starts))); },
               "contains queries search intervals");
  const Index by = build(ColumnView::intervals(starts, ends, Ends::closed, {longs}), "sorted@cpu");
  expect_error([&] { static_cast<void>(by.answer(Query::contains(starts))); }, "composite");
  const std::vector<long> others = {4, 6, 21};
  expect_error(
      [&] {
        static_cast<void>(by.answer(Query::overlaps(ColumnView::composite({longs, starts}),
                                                    ColumnView::composite({others, ends}))));
      },
      "the ends of query 2 have the leading values 20 and 21");
}

}  // namespace
}  // namespace rtindex::test
