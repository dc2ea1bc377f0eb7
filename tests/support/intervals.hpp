#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/key.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/test_column.hpp"

// Columns of intervals, and an oracle that tests every interval with every query by the plain
// meaning of the words.
namespace rtindex::test {

inline constexpr Ends every_ends[] = {Ends::closed, Ends::right_open, Ends::left_open, Ends::open};

// The points between two of them.
struct PointRange {
  Part lower, upper;
  Ends ends;

  [[nodiscard]] bool empty() const;
  [[nodiscard]] bool starts_before_or_with(const PointRange& other) const;
  [[nodiscard]] bool ends_behind_or_with(const PointRange& other) const;
  [[nodiscard]] bool lies_before(const PointRange& other) const;
};

[[nodiscard]] bool is_match(QueryKind kind, const PointRange& interval, const PointRange& query);

// The values of a type that intervals are made of, ascending.
struct PointValues {
  std::string name;
  Shape shape;
  std::vector<Part> values;
};

[[nodiscard]] std::vector<Part> wholes(Whole first, Whole step, std::size_t count);
[[nodiscard]] std::vector<PointValues> every_values();

struct LeadingValues {
  std::string name;
  std::vector<Shape> shapes;
  std::vector<Key> values;
};

[[nodiscard]] std::vector<LeadingValues> every_leading();

// Intervals as rows: leading values, start and end.
struct IntervalTable {
  const PointValues* values;
  const LeadingValues* leading;
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
  [[nodiscard]] const Part& start_of(std::size_t row) const {
    return rows[row][rows[row].size() - 2];
  }

  // Of the rows that are neither erased nor null.
  struct Interval {
    std::uint32_t row;
    Key leading;
    PointRange range;
  };
  [[nodiscard]] std::vector<Interval> intervals() const {
    std::vector<Interval> all;
    for (std::uint32_t row = 0; row < rows.size(); ++row)
      if (!erased[row] && !is_null(rows[row]))
        all.push_back({row,
                       {rows[row].begin(), rows[row].end() - 2},
                       {start_of(row), rows[row].back(), ends}});
    return all;
  }
};

// Most intervals are short; some are long, one holds all others, some have one point or none.
[[nodiscard]] Key random_interval(const PointValues& values, const LeadingValues& leading,
                                  Random& random);
[[nodiscard]] IntervalTable random_table(const PointValues& values, const LeadingValues& leading,
                                         Ends ends, std::size_t size, Random& random);

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

[[nodiscard]] IntervalBatch random_batch(const IntervalTable& table, QueryKind kind, Ends ends,
                                         std::size_t size, Random& random);
// The rows that each query matches.
[[nodiscard]] Matches scan(const IntervalTable& table, const IntervalBatch& batch);
[[nodiscard]] std::vector<std::pair<QueryKind, Ends>> every_interval_query();

[[nodiscard]] TestColumn random_values(std::size_t size, Random& random);
// Expects every answer to every kind of query. `values`: a value for each row, which the index
// includes as well.
void expect_answers(const Index& index, const IntervalTable& table, const TestColumn& values,
                    Random& random);

}  // namespace rtindex::test
