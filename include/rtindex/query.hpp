#pragma once

/// \file
/// Queries: one value describes a batch, whatever it searches for.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <rtindex/bitmap.hpp>
#include <rtindex/column.hpp>
#include <rtindex/export.hpp>

namespace rtindex {

/// What a batch searches for.
enum class QueryKind : std::uint8_t {
  equal,     ///< rows whose key equals a key
  range,     ///< rows whose key lies between two keys
  prefix,    ///< rows whose string begins with a string
  nearest,   ///< rows with the closest key, or interval, before or after a key
  contains,  ///< rows whose interval contains a key
  overlaps,  ///< rows whose interval overlaps a range
  within,    ///< rows whose interval lies within a range
  covers,    ///< rows whose interval covers a range
  box,       ///< rows whose values meet a condition on each of several columns
};

/// Whether queries of the kind search a column of intervals only; `nearest` searches keys too.
[[nodiscard]] constexpr bool searches_intervals(QueryKind kind) {
  return kind >= QueryKind::contains && kind <= QueryKind::covers;
}
/// Whether queries of the kind search a column of points.
[[nodiscard]] constexpr bool searches_points(QueryKind kind) { return kind == QueryKind::box; }
/// Whether queries of the kind have a lower and an upper end.
[[nodiscard]] constexpr bool has_two_ends(QueryKind kind) {
  return kind == QueryKind::range || (kind >= QueryKind::overlaps && kind <= QueryKind::covers);
}

/// "equal", "range", "prefix", "nearest", "contains", "overlaps", "within", "covers" or "box".
[[nodiscard]] RTINDEX_API std::string_view name_of(QueryKind kind);
/// The kind of that name; throws `Error` for any other text.
[[nodiscard]] RTINDEX_API QueryKind query_kind_named(std::string_view name);

/// Where to search for the neighbour of a key.
enum class Direction : std::uint8_t {
  backward,  ///< the greatest key that is not above; of its rows the last
  forward,   ///< the smallest key that is not below; of its rows the first
  nearest,   ///< the closer one of these two; the one before where both are as close
};

/// "backward", "forward" or "nearest".
[[nodiscard]] RTINDEX_API std::string_view name_of(Direction direction);
/// The direction of that name; throws `Error` for any other text.
[[nodiscard]] RTINDEX_API Direction direction_named(std::string_view name);

/// The largest distance of a neighbour: an integer for integers, for times in the unit of the
/// column, for decimals in units of the last digit; a double for floats. Unset: unlimited.
using Tolerance = std::variant<std::monostate, std::int64_t, std::uint64_t, double>;

/// What makes a key the neighbour of another.
struct NearestOptions {
  Direction direction = Direction::backward;
  /// Whether an equal key, or an interval that contains the key, is a neighbour.
  bool exact = true;
  /// Needs keys that have a distance: not strings. In composite keys, of the last column.
  Tolerance tolerance = {};
};

/// What a box query requires of the values of a column.
enum class ConditionKind : std::uint8_t {
  none,     ///< nothing: every row matches, those with a null too
  range,    ///< they lie between two values; a null does not
  is_null,  ///< they are null
  isin,     ///< they equal one of several values
};

/// The condition of a batch of box queries on one column of points. The ends of a range have one
/// element for each query, or one for all of them; the values of `isin` are those of all queries.
struct Condition {
  ConditionKind kind = ConditionKind::none;
  ColumnView lower = {};  ///< `ColumnView()`: an end without a bound; of `isin` the values
  ColumnView upper = {};
  Ends ends = Ends::closed;

  /// Values between `lower[i]` and `upper[i]`; none where the lower end is above the upper one, or
  /// an end is null.
  [[nodiscard]] static Condition range(ColumnView lower, ColumnView upper,
                                       Ends ends = Ends::closed) {
    return {ConditionKind::range, std::move(lower), std::move(upper), ends};
  }
  /// Values that equal `values[i]`.
  [[nodiscard]] static Condition equal(const ColumnView& values) { return range(values, values); }
  /// Values that equal one of `values`.
  [[nodiscard]] static Condition isin(ColumnView values) {
    return {.kind = ConditionKind::isin, .lower = std::move(values)};
  }
  /// Nulls.
  [[nodiscard]] static Condition is_null() { return {.kind = ConditionKind::is_null}; }
};

/// A batch of queries of one kind. It views its columns, which must outlive the call that it is
/// passed to; a default-constructed column, `ColumnView()`, is an end without a bound.
struct Query {
  QueryKind kind = QueryKind::equal;
  ColumnView lower = {};          ///< the keys, the prefixes, or the lower ends of ranges
  ColumnView upper = {};          ///< the upper ends of ranges
  Ends ends = Ends::closed;       ///< of ranges
  NearestOptions neighbour = {};  ///< of `nearest`
  /// The rows that may match, one bit for each row of the index: those that the caller's
  /// transaction sees, or what another index has found. Unset: all rows. In the memory space of the
  /// columns, or in host memory.
  std::optional<BitmapView> filter = {};
  std::vector<Condition> conditions = {};  ///< of `box`, one for each column of the points

  /// Rows whose key equals `keys[i]`. A composite key with fewer columns than the index matches all
  /// keys that begin with it.
  [[nodiscard]] static Query equal(ColumnView keys) {
    return {.kind = QueryKind::equal, .lower = std::move(keys)};
  }
  /// Rows whose key lies between `lower[i]` and `upper[i]`. A range whose lower end is above its
  /// upper end matches nothing. A composite end may have fewer columns than the index: the range
  /// then contains all keys that begin with it.
  [[nodiscard]] static Query range(ColumnView lower, ColumnView upper, Ends ends = Ends::closed) {
    return {.kind = QueryKind::range,
            .lower = std::move(lower),
            .upper = std::move(upper),
            .ends = ends};
  }
  /// Rows of a column of strings that begin with `prefixes[i]`.
  [[nodiscard]] static Query prefix(ColumnView prefixes) {
    return {.kind = QueryKind::prefix, .lower = std::move(prefixes)};
  }
  /// Rows that hold the neighbour of `keys[i]`: the closest key of the column before or after it.
  /// `any` is the row of that neighbour, `key` its key; all other answers are about all rows with
  /// this key. Null keys neither are nor have neighbours. In composite keys the last column has an
  /// order, and those before it must be equal.
  ///
  /// Over intervals: all rows with the closest interval, of which `any` is the smallest. It
  /// contains the key; or else its end is the greatest before the key (`backward`), its start the
  /// least behind the key (`forward`), or the closer one of these two, both where they are as close
  /// (`nearest`). The distance is that of the key from this end as values, whether or not the end
  /// belongs to the interval. Without `exact`, intervals that contain the key do not match. There
  /// is no `key`.
  [[nodiscard]] static Query nearest(ColumnView keys, const NearestOptions& options = {}) {
    return {.kind = QueryKind::nearest, .lower = std::move(keys), .neighbour = options};
  }

  /// Rows whose interval contains `keys[i]`. Where intervals have leading columns, a key is a
  /// composite of a value of each of them and of the point.
  [[nodiscard]] static Query contains(ColumnView keys) {
    return {.kind = QueryKind::contains, .lower = std::move(keys)};
  }
  /// Rows whose interval has a point in common with the range of `lower[i]` and `upper[i]`. An
  /// unset end, `ColumnView()`, has no bound. Where intervals have leading
  /// columns, both ends are composites with equal leading values.
  [[nodiscard]] static Query overlaps(ColumnView lower, ColumnView upper,
                                      Ends ends = Ends::closed) {
    return of_intervals(QueryKind::overlaps, std::move(lower), std::move(upper), ends);
  }
  /// Rows whose interval lies within the range of `lower[i]` and `upper[i]`.
  [[nodiscard]] static Query within(ColumnView lower, ColumnView upper, Ends ends = Ends::closed) {
    return of_intervals(QueryKind::within, std::move(lower), std::move(upper), ends);
  }
  /// Rows whose interval contains every point of the range of `lower[i]` and `upper[i]`.
  [[nodiscard]] static Query covers(ColumnView lower, ColumnView upper, Ends ends = Ends::closed) {
    return of_intervals(QueryKind::covers, std::move(lower), std::move(upper), ends);
  }

  /// Rows whose values meet the condition on each column, in the order of the columns. Conditions
  /// on the last columns may be unset.
  [[nodiscard]] static Query box(std::vector<Condition> conditions) {
    Query query{.kind = QueryKind::box};
    query.conditions = std::move(conditions);
    return query;
  }

  /// These queries, restricted to the rows of a bitmap.
  [[nodiscard]] Query with_filter(const BitmapView& rows) const {
    Query filtered = *this;
    filtered.filter = rows;
    return filtered;
  }

  /// The number of queries. A range without bounds is one query, and so is a box whose conditions
  /// have one element each.
  [[nodiscard]] std::size_t size() const {
    if (kind == QueryKind::box) return boxes();
    if (lower.has_value()) return lower.size();
    return upper.has_value() ? upper.size() : has_two_ends(kind) ? 1 : 0;
  }
  /// The queries [first, first + count).
  [[nodiscard]] Query slice(std::size_t first, std::size_t count) const {
    Query part = *this;
    if (lower.has_value()) part.lower = lower.slice(first, count);
    if (upper.has_value()) part.upper = upper.slice(first, count);
    const std::size_t all = part.conditions.empty() ? 0 : size();
    for (Condition& condition : part.conditions)
      for (ColumnView* const end : {&condition.lower, &condition.upper})
        if (condition.kind == ConditionKind::range && end->has_value() && end->size() == all)
          *end = end->slice(first, count);
    return part;
  }
  /// The memory space of the columns.
  [[nodiscard]] MemorySpace memory_space() const {
    MemorySpace space = std::max(lower.memory_space(), upper.memory_space());
    for (const Condition& condition : conditions)
      space = std::max({space, condition.lower.memory_space(), condition.upper.memory_space()});
    return space;
  }

 private:
  [[nodiscard]] std::size_t boxes() const {
    for (const Condition& condition : conditions)
      for (const ColumnView* const end : {&condition.lower, &condition.upper})
        if (condition.kind == ConditionKind::range && end->has_value() && end->size() != 1)
          return end->size();
    return 1;
  }
  [[nodiscard]] static Query of_intervals(QueryKind kind, ColumnView lower, ColumnView upper,
                                          Ends ends) {
    return {.kind = kind, .lower = std::move(lower), .upper = std::move(upper), .ends = ends};
  }
};

}  // namespace rtindex
