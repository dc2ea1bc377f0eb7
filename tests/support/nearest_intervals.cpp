#include "support/nearest_intervals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include "support/checker.hpp"
#include "support/joins.hpp"

namespace rtindex::test {

namespace {

// An interval that does not contain a key: its end on the side of the key.
struct Outside {
  std::uint32_t row;
  Part end;
  bool is_before;  // it lies before the key
};

double real_distance(double a, double b) {
  const double between = std::fabs(a - b);
  return a == b ? 0 : std::isnan(between) ? HUGE_VAL : between;
}

Whole whole_distance(Whole a, Whole b) { return a < b ? b - a : a - b; }

// How far a and b are from a key, compared: <0 where a is closer. On one side of the key the order
// of their ends says so, without rounding.
int compare_distances(const Part& key, const Outside& a, const Outside& b) {
  if (a.is_before == b.is_before)
    return a.is_before ? compare(b.end, a.end) : compare(a.end, b.end);
  if (const auto* const whole = std::get_if<Whole>(&key)) {
    const Whole x = whole_distance(*whole, std::get<Whole>(a.end));
    const Whole y = whole_distance(*whole, std::get<Whole>(b.end));
    return x < y ? -1 : x > y ? 1 : 0;
  }
  const double x = real_distance(std::get<double>(key), std::get<double>(a.end));
  const double y = real_distance(std::get<double>(key), std::get<double>(b.end));
  return x < y ? -1 : x > y ? 1 : 0;
}

bool is_too_far(const Part& key, const Part& end, const Tolerance& tolerance) {
  if (const auto* const whole = std::get_if<std::int64_t>(&tolerance))
    return whole_distance(std::get<Whole>(key), std::get<Whole>(end)) > Whole{*whole};
  if (const auto* const real = std::get_if<double>(&tolerance))
    return real_distance(std::get<double>(key), std::get<double>(end)) > *real;
  return false;
}

std::vector<std::uint32_t> closest_rows(const std::vector<IntervalTable::Interval>& intervals,
                                        const Key& key, const NearestOptions& how) {
  const Key leading(key.begin(), key.end() - 1);
  const PointRange point{key.back(), key.back(), Ends::closed};
  std::vector<std::uint32_t> inside;
  std::vector<Outside> outside;
  for (const auto& [row, others, interval] : intervals) {
    if (interval.empty() || compare(others, leading) != 0) continue;
    if (is_match(QueryKind::contains, interval, point)) {
      inside.push_back(row);
      continue;
    }
    const bool is_before = interval.lies_before(point);
    if (how.direction == (is_before ? Direction::forward : Direction::backward)) continue;
    Part end = is_before ? interval.upper : interval.lower;
    if (!is_too_far(key.back(), end, how.tolerance))
      outside.push_back({row, std::move(end), is_before});
  }
  if (how.exact && !inside.empty()) return inside;
  std::vector<std::uint32_t> rows;
  for (const Outside& one : outside)
    if (std::ranges::none_of(outside, [&](const Outside& other) {
          return compare_distances(key.back(), other, one) < 0;
        }))
      rows.push_back(one.row);
  return rows;
}

}  // namespace

NearestBatch random_nearest(const IntervalTable& table, const NearestOptions& how, std::size_t size,
                            Random& random) {
  const IntervalBatch points = random_batch(table, QueryKind::contains, Ends::closed, size, random);
  return {how, points.lower, points.lower_column};
}

Matches scan(const IntervalTable& table, const NearestBatch& batch) {
  Matches matches(batch.keys.size());
  const std::vector<IntervalTable::Interval> intervals = table.intervals();
  for (std::size_t i = 0; i < matches.size(); ++i)
    if (!is_null(batch.keys[i])) matches[i] = closest_rows(intervals, batch.keys[i], batch.how);
  return matches;
}

std::vector<NearestOptions> every_nearest(const IntervalTable& table) {
  const Shape& shape = table.values->shape;
  std::vector<NearestOptions> all;
  for (const Direction direction : {Direction::backward, Direction::forward, Direction::nearest})
    for (const bool exact : {true, false}) {
      if (shape.type == Type::string && direction == Direction::nearest) continue;
      all.push_back({direction, exact, {}});
      if (shape.type == Type::string) continue;
      all.push_back({direction, exact, std::int64_t{exact ? 2 : 0}});
      if (is_float_shape(shape)) all.back().tolerance = exact ? 0.3 : 0.0;
    }
  return all;
}

void expect_nearest(const Index& index, const IntervalTable& table, const TestColumn& values,
                    Random& random) {
  for (const NearestOptions& how : every_nearest(table)) {
    SCOPED_TRACE(std::string(name_of(how.direction)) + (how.exact ? "" : " not exact") +
                 (how.tolerance.index() == 0 ? "" : " within a tolerance"));
    const NearestBatch batch = random_nearest(table, how, 25, random);
    const Query query = batch.query();
    const Matches matches = scan(table, batch);
    const Batch shown{QueryKind::equal, batch.column, batch.column};
    const auto expect = [&](const AnswerOptions& options) {
      const Answers answers = index.answer(query, options);
      ASSERT_EQ(first_difference(plain_answers(answers, options), options, shown, matches, values),
                "")
          << "of intervals " << name_of(table.ends);
    };
    AnswerOptions all{.answers = Answer::any | Answer::first | Answer::last | Answer::count |
                                 Answer::sum | Answer::min | Answer::max | Answer::mean |
                                 Answer::rows | Answer::bitmap | Answer::bitmaps,
                      .values = values.view()};
    all.matched = true;
    expect(all);
    if (!index.included().empty()) all.values = {};
    expect(all);
    expect({.answers = Answer::count | Answer::sum, .values = all.values, .matched = true});
    expect({.answers = {}, .matched = true});
    expect({.answers = Answer::rows, .limit = 2});
    const Answers any = index.answer(query, {.answers = Answer::any});
    for (std::size_t i = 0; i < matches.size(); ++i)
      ASSERT_EQ(any.any()[i], matches[i].empty() ? miss_row : matches[i].front()) << i;
    ASSERT_NO_FATAL_FAILURE(expect_some_joins(index, query, matches, random));
    for (const RowOrder order : {RowOrder::ascending, RowOrder::descending}) {
      const Answers found =
          index.answer(query, {.answers = Answer::rows, .limit = 3, .order = order});
      for (std::size_t i = 0; i < matches.size(); ++i) {
        std::vector<std::uint32_t> rows = matches[i];
        std::ranges::sort(rows, [&](std::uint32_t a, std::uint32_t b) {
          const int starts = compare(table.start_of(a), table.start_of(b));
          return starts != 0 ? starts < 0 : a < b;
        });
        if (order == RowOrder::descending) std::ranges::reverse(rows);
        rows.resize(std::min<std::size_t>(rows.size(), 3));
        ASSERT_TRUE(std::ranges::equal(found.rows(i), rows)) << i;
      }
    }
  }
}

}  // namespace rtindex::test
