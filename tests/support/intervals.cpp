#include "support/intervals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/checker.hpp"
#include "support/joins.hpp"
#include "support/nearest_intervals.hpp"

namespace rtindex::test {

namespace {

bool has_lower(Ends ends) { return ends == Ends::closed || ends == Ends::right_open; }
bool has_upper(Ends ends) { return ends == Ends::closed || ends == Ends::left_open; }

std::vector<Part> texts(const std::string& beginning, std::size_t count) {
  std::vector<Part> values;
  for (std::size_t i = 0; i < count; ++i)
    values.emplace_back(beginning + std::string(1, static_cast<char>('a' + i / 6)) +
                        std::string(i % 6, 'x'));
  return values;
}

constexpr AnswerSet all_but_rows = Answer::any | Answer::first | Answer::last | Answer::count |
                                   Answer::sum | Answer::min | Answer::max | Answer::mean |
                                   Answer::bitmap | Answer::bitmaps;

}  // namespace

bool PointRange::empty() const {
  const int order = compare(lower, upper);
  return order > 0 || (order == 0 && ends != Ends::closed);
}
bool PointRange::starts_before_or_with(const PointRange& other) const {
  const int order = compare(lower, other.lower);
  return order < 0 || (order == 0 && (has_lower(ends) || !has_lower(other.ends)));
}
bool PointRange::ends_behind_or_with(const PointRange& other) const {
  const int order = compare(upper, other.upper);
  return order > 0 || (order == 0 && (has_upper(ends) || !has_upper(other.ends)));
}
bool PointRange::lies_before(const PointRange& other) const {
  const int order = compare(upper, other.lower);
  return order < 0 || (order == 0 && !(has_upper(ends) && has_lower(other.ends)));
}

bool is_match(QueryKind kind, const PointRange& interval, const PointRange& query) {
  if (interval.empty() || query.empty()) return false;
  switch (kind) {
    case QueryKind::within:
      return query.starts_before_or_with(interval) && query.ends_behind_or_with(interval);
    case QueryKind::covers:
      return interval.starts_before_or_with(query) && interval.ends_behind_or_with(query);
    default: return !interval.lies_before(query) && !query.lies_before(interval);
  }
}

std::vector<Part> wholes(Whole first, Whole step, std::size_t count) {
  std::vector<Part> values;
  for (std::size_t i = 0; i < count; ++i) values.emplace_back(first + step * static_cast<Whole>(i));
  return values;
}

std::vector<PointValues> every_values() {
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

std::vector<LeadingValues> every_leading() {
  return {{"", {}, {{}}},
          {"_by_uint8", {{Type::u8}}, {{Whole{0}}, {Whole{7}}, {Whole{255}}}},
          {"_by_string_int64",
           {{Type::string}, {Type::i64}},
           {{std::string("chr1"), smallest_of(Type::i64)},
            {std::string("chr1"), largest_of(Type::i64)},
            {std::string("chr10 and a long name of many letters"), Whole{0}},
            {std::string(), Whole{5}}}}};
}

Key random_interval(const PointValues& values, const LeadingValues& leading, Random& random) {
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

IntervalTable random_table(const PointValues& values, const LeadingValues& leading, Ends ends,
                           std::size_t size, Random& random) {
  IntervalTable table{&values, &leading, ends, {}, std::vector<bool>(size, false)};
  for (std::size_t i = 0; i < size; ++i)
    table.rows.push_back(random_interval(values, leading, random));
  return table;
}

IntervalBatch random_batch(const IntervalTable& table, QueryKind kind, Ends ends, std::size_t size,
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

Matches scan(const IntervalTable& table, const IntervalBatch& batch) {
  Matches matches(batch.lower.size());
  const std::vector<IntervalTable::Interval> intervals = table.intervals();
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const Key& lower = batch.lower[i];
    const Key& upper = batch.upper[i];
    if (is_null(lower) || is_null(upper)) continue;
    const PointRange query{lower.back(), upper.back(),
                           batch.kind == QueryKind::contains ? Ends::closed : batch.ends};
    const Key leading(lower.begin(), lower.end() - 1);
    for (const IntervalTable::Interval& interval : intervals)
      if (compare(interval.leading, leading) == 0 && is_match(batch.kind, interval.range, query))
        matches[i].push_back(interval.row);
  }
  return matches;
}

std::vector<std::pair<QueryKind, Ends>> every_interval_query() {
  std::vector<std::pair<QueryKind, Ends>> queries = {{QueryKind::contains, Ends::closed}};
  for (const QueryKind kind : {QueryKind::overlaps, QueryKind::within, QueryKind::covers})
    for (const Ends ends : every_ends) queries.emplace_back(kind, ends);
  return queries;
}

void expect_answers(const Index& index, const IntervalTable& table, const TestColumn& values,
                    Random& random) {
  for (const auto& asked : every_interval_query()) {
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
    if (!index.included().empty()) all.values = {};
    expect(all);
    expect({.answers = Answer::count | Answer::sum, .values = all.values, .matched = true});
    expect({.answers = Answer::any});
    expect({.answers = {}, .matched = true});
    expect({.answers = Answer::rows, .limit = 2});
    ASSERT_NO_FATAL_FAILURE(expect_some_joins(index, query, matches, random));
    for (const RowOrder order : {RowOrder::ascending, RowOrder::descending})
      for (const std::uint32_t limit : {3U, no_limit}) {
        Matches sorted = matches;
        for (std::vector<std::uint32_t>& rows : sorted) {
          std::sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
            const int starts = compare(table.start_of(a), table.start_of(b));
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
  if (index.supports(Answer::any, QueryKind::nearest)) expect_nearest(index, table, values, random);
}

TestColumn random_values(std::size_t size, Random& random) {
  std::vector<Whole> values(size);
  for (Whole& value : values) value = random.between(-1000000, 1000000);
  return integers(Type::i32, values);
}

}  // namespace rtindex::test
