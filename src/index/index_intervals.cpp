#include <cstddef>
#include <vector>

#include <rtindex/index.hpp>

#include "base/error.hpp"
#include "base/types.hpp"
#include "engine/neighbours.hpp"
#include "index/index_state.hpp"
#include "keys/interval_codec.hpp"

// Intervals: what queries and changes of them must look like.
namespace rtindex {

void Index::State::require_same_shape(const Version& now, QueryKind kind) {
  const bool are_intervals = now.main().codec->are_intervals();
  const bool are_points = now.main().codec->are_points();
  if (searches_points(kind) && !are_points)
    fail("box queries search points, but the index holds {}: build it over ColumnView::points",
         are_intervals ? "intervals" : "keys");
  if (!searches_points(kind) && are_points)
    fail("the index holds points, which {} queries do not search: use box", name_of(kind));
  if (searches_intervals(kind) && !are_intervals)
    fail(
        "{} queries search intervals, but the index holds keys: build it over "
        "ColumnView::intervals",
        name_of(kind));
  if (!searches_intervals(kind) && kind != QueryKind::nearest && are_intervals)
    fail(
        "the index holds intervals, which {} queries do not search: use contains, overlaps, "
        "within, covers or nearest",
        name_of(kind));
}

void Index::State::require_whole_points(const Version& now, const ColumnView& points) {
  const std::size_t parts = now.main().codec->part_types().size() - 1;
  if (points.type() == Type::composite && points.parts().size() != parts)
    fail("the points have {} parts, expected {}: a value of each leading column, and the point",
         points.parts().size(), parts);
}

void Index::State::require_nearest_interval(const Version& now, const Query& query) const {
  require_whole_points(now, query.lower);
  static_cast<void>(require_nearest(interval_codec(*now.main().codec)->points(), query.neighbour));
  if (now.main().searcher->interval_points().ends == nullptr)
    fail(ErrorKind::unsupported,
         "{} finds intervals by rays and keeps no order of their ends, which nearest queries need: "
         "use rx:native, sorted or btree",
         spec.text());
}

void Index::State::require_interval_ends(const Version& now, const Query& query) {
  const ColumnView& lower = query.lower;
  const ColumnView& upper = query.upper;
  const bool has_leading = now.main().codec->part_types().size() > 2;
  const bool is_bounded = lower.has_value() && upper.has_value();
  if (!is_bounded && (has_leading || query.kind == QueryKind::covers))
    fail("{} queries of {} need both ends: pass {} as well", name_of(query.kind),
         has_leading ? "intervals with leading columns" : "intervals",
         lower.has_value() ? "upper" : "lower");
  for (const ColumnView* const end : {&lower, &upper})
    if (end->has_value()) require_whole_points(now, *end);
}

void Index::State::require_intervals(const IntervalCodec& column, const ColumnView& given) const {
  if (!given.interval_ends())
    fail("the index holds intervals, got {} keys: pass ColumnView::intervals",
         name_of(given.type()));
  if (*given.interval_ends() != column.ends())
    fail("the index holds intervals {}, got intervals {}: pass the same ends",
         name_of(column.ends()), name_of(*given.interval_ends()));
  const std::vector<Type>& types = column.part_types();
  if (given.parts().size() != types.size())
    fail("the intervals have {} leading columns, expected {}", given.parts().size() - 2,
         types.size() - 2);
  for (std::size_t i = 0; i < types.size(); ++i) {
    const ColumnView& part = given.parts()[i];
    if (!comparable(types[i], part.type()))
      fail("{} values cannot be part of intervals of {}: convert them", name_of(part.type()),
           name_of(types[i]));
    if (part.time_unit() != part_time_units[i] && part.time_unit() != TimeUnit::unspecified &&
        part_time_units[i] != TimeUnit::unspecified)
      fail("the intervals count time in {} and the new ones in {}: convert them",
           name_of(part_time_units[i]), name_of(part.time_unit()));
    if (part.scale() != part_scales[i])
      fail("the intervals have decimals of the scale {} and the new ones {}: cast them",
           part_scales[i], part.scale());
  }
}

}  // namespace rtindex
