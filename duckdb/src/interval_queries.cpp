#include "interval_queries.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "keys.hpp"

namespace rtindex::sql {

namespace {

/// How the points of a query become ticks of the starts and ends, and the query of these ticks.
struct WholeQuery {
  QueryKind kind;
  Between lower, upper;
  Ends ends;
};

/// A start or an end compares with a fraction as with the tick below or above it. The ends of the
/// query are those for which whole points and fractions compare in one way.
WholeQuery whole_query(QueryKind kind, Ends of_query, Ends of_intervals) {
  const bool of_start = has_lower(of_intervals);
  const bool of_end = has_upper(of_intervals);
  const bool of_lower = has_lower(of_query);
  const bool of_upper = has_upper(of_query);
  if (kind == QueryKind::within)  // starts >= lower, ends <= upper
    return {kind, of_lower || !of_start ? Between::up : Between::above,
            of_upper || !of_end ? Between::down : Between::below, Ends::closed};
  if (kind == QueryKind::covers)  // starts <= lower, ends >= upper
    return {kind, of_start || !of_lower ? Between::down : Between::below,
            of_end || !of_upper ? Between::up : Between::above, of_intervals};
  // Starts < upper, ends > lower: also where a range has no tick.
  return {kind, of_end && of_lower ? Between::below : Between::down,
          of_start && of_upper ? Between::above : Between::up, ends_with(!of_end, !of_start)};
}

/// Of overlaps where the range has a tick in it. It needs no tick below the least one nor above the
/// greatest one, such as infinity; `whole_query` would lose intervals of this single point.
WholeQuery whole_overlaps(Ends of_query, Ends of_intervals) {
  const Between lower = has_lower(of_query) ? Between::up : Between::above;
  const Between upper = has_upper(of_query) ? Between::down : Between::below;
  return {QueryKind::overlaps, has_upper(of_intervals) ? lower : Between::down,
          has_lower(of_intervals) ? upper : Between::up, Ends::closed};
}

}  // namespace

void with_interval_query(const NamedIndex& named, QueryKind kind, duckdb_data_chunk chunk,
                         std::span<const idx_t> lower, std::span<const idx_t> upper, Ends ends,
                         const UseQuery& use) {
  const bool is_point = kind == QueryKind::contains;
  const auto keys = [&](std::span<const idx_t> vectors, Between between, Purpose purpose) {
    return LookupKeys(chunk, vectors, named.parts, between, purpose);
  };
  const LookupKeys first = keys(lower, Between::down, Purpose::point);
  std::optional<LookupKeys> second;
  if (!is_point) second = keys(upper, Between::down, Purpose::point);
  if (first.all_null() || (second && second->all_null())) return use(nullptr);
  if (!first.inexact() && !(second && second->inexact())) {
    const Query query{.kind = kind,
                      .lower = first.column(),
                      .upper = second ? second->column() : ColumnView(),
                      .ends = ends};
    const ChunkQuery of_chunk{&query};
    return use(&of_chunk);
  }
  // A point is the range from it to itself.
  const KeyType& key = named.parts.back();
  const Ends own = named.index.interval_ends().value();
  const bool overlaps = kind == QueryKind::overlaps;
  const auto convert = [&](const WholeQuery& whole) {
    const bool down = whole.lower == Between::down || whole.lower == Between::below;
    const bool up = whole.upper == Between::up || whole.upper == Between::above;
    return std::pair(
        keys(lower, whole.lower,
             overlaps && down ? Purpose::clamped_point : Purpose::rounded_point),
        keys(upper, whole.upper, overlaps && up ? Purpose::clamped_point : Purpose::rounded_point));
  };
  // A range without a point matches nothing, but its ticks may have points between them.
  const auto query_of = [&](const WholeQuery& whole, std::pair<LookupKeys, LookupKeys>& points) {
    auto& [from, to] = points;
    for (std::size_t row = 0; !is_point && row < from.units().size(); ++row) {
      const Units& a = from.units()[row];
      const Units& b = to.units()[row];
      if (a > b || (ends != Ends::closed && !(a < b))) from.set_null(row);
    }
    return Query{
        .kind = whole.kind, .lower = from.column(), .upper = to.column(), .ends = whole.ends};
  };
  const WholeQuery whole = whole_query(is_point ? QueryKind::covers : kind, ends, own);
  if (!overlaps) {
    auto points = convert(whole);
    const Query query = query_of(whole, points);
    const ChunkQuery of_chunk{&query};
    return use(&of_chunk);
  }
  const WholeQuery closed = whole_overlaps(ends, own);
  auto points = convert(closed);
  auto points_between = convert(whole);
  std::vector<bool> is_between;
  for (std::size_t row = 0; row < points.first.units().size(); ++row) {
    const auto a = rounded(points.first.units()[row], key, closed.lower);
    const auto b = rounded(points.second.units()[row], key, closed.upper);
    is_between.push_back(a && b && *a > *b);
  }
  const Query query = query_of(closed, points);
  const Query between = query_of(whole, points_between);
  const bool any = std::find(is_between.begin(), is_between.end(), true) != is_between.end();
  const ChunkQuery of_chunk{&query, any ? &between : nullptr, std::move(is_between)};
  use(&of_chunk);
}

}  // namespace rtindex::sql
