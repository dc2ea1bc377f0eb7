#include <cstddef>
#include <vector>

#include <rtindex/index.hpp>

#include "base/error.hpp"
#include "base/types.hpp"
#include "index/index_state.hpp"
#include "keys/point_codec.hpp"

// Points: what box queries and changes of them must look like.
namespace rtindex {

void Index::State::require_part_unit(std::size_t part, const ColumnView& values) const {
  const TimeUnit unit = part_time_units[part];
  if (values.time_unit() != unit && values.time_unit() != TimeUnit::unspecified &&
      unit != TimeUnit::unspecified)
    fail("column {} of the points counts time in {} and the values in {}: convert the values",
         part + 1, name_of(unit), name_of(values.time_unit()));
  if (values.scale() != part_scales[part])
    fail("column {} of the points has decimals of the scale {} and the values of {}: cast them",
         part + 1, part_scales[part], values.scale());
}

void Index::State::require_conditions(const Version& now, const Query& query) const {
  const PointCodec& points = *point_codec(*now.main().codec);
  if (query.conditions.size() > points.columns())
    fail("the box has {} conditions but the points have {} columns: pass at most one for each",
         query.conditions.size(), points.columns());
  const std::size_t boxes = query.size();
  for (std::size_t c = 0; c < query.conditions.size(); ++c) {
    const Condition& condition = query.conditions[c];
    if (condition.kind == ConditionKind::isin && !condition.lower.has_value())
      fail("expected the values of the condition isin on column {}, got none", c + 1);
    if (condition.kind == ConditionKind::isin && condition.upper.has_value())
      fail("unexpected upper values of the condition isin on column {}: pass all values as lower",
           c + 1);
    if (condition.kind == ConditionKind::none || condition.kind == ConditionKind::is_null) {
      if (condition.lower.has_value() || condition.upper.has_value())
        fail("unexpected values of a condition on column {} that has none: pass a range", c + 1);
      continue;
    }
    for (const ColumnView* const end : {&condition.lower, &condition.upper}) {
      if (!end->has_value()) continue;
      require_reachable(*end, "conditions");
      const Type type = points.part_types()[c];
      if (!comparable(type, end->type()))
        fail("{} values cannot be compared with column {} of the points, which is {}: convert them",
             name_of(end->type()), c + 1, name_of(type));
      require_part_unit(c, *end);
      if (condition.kind == ConditionKind::range && end->size() != 1 && end->size() != boxes)
        fail("expected conditions of one length, or of one value for all queries, got {} and {}",
             boxes, end->size());
    }
  }
}

void Index::State::require_points(const PointCodec& column, const ColumnView& given) const {
  if (!given.are_points())
    fail("the index holds points, got {}: pass ColumnView::points",
         given.interval_ends() ? "intervals" : name_of(given.type()));
  const std::vector<Type>& types = column.part_types();
  if (given.parts().size() != types.size())
    fail("the points have {} columns, expected {}", given.parts().size(), types.size());
  for (std::size_t c = 0; c < types.size(); ++c) {
    const ColumnView& part = given.parts()[c];
    if (!comparable(types[c], part.type()))
      fail("{} values cannot be column {} of the points, which is {}: convert them",
           name_of(part.type()), c + 1, name_of(types[c]));
    require_part_unit(c, part);
  }
}

}  // namespace rtindex
