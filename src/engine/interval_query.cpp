#include "engine/interval_query.hpp"

#include "answers/request.hpp"
#include "base/error.hpp"
#include "keys/compare.hpp"

namespace rtindex {

IntervalQuery::IntervalQuery(const LookupBatch& batch)
    : batch_(&batch),
      points_(interval_codec(batch.codec())->points()),
      start_bound_(&batch.upper()),
      end_bound_(&batch.lower()) {
  const RangeEnds of_intervals = range_ends(interval_codec(batch.codec())->ends());
  const RangeEnds of_query = batch.ends();
  const bool start_open = of_intervals.lower_open;
  const bool end_open = of_intervals.upper_open;
  switch (batch.kind()) {
    case QueryKind::within:
      start_bound_ = &batch.lower();
      end_bound_ = &batch.upper();
      start_open_ = of_query.lower_open && !start_open;
      end_open_ = of_query.upper_open && !end_open;
      break;
    case QueryKind::covers:
      start_bound_ = &batch.lower();
      end_bound_ = &batch.upper();
      start_open_ = start_open && !of_query.lower_open;
      end_open_ = end_open && !of_query.upper_open;
      break;
    default:
      start_open_ = start_open || of_query.upper_open;
      end_open_ = end_open || of_query.lower_open;
  }
}

LookupBatch IntervalQuery::ends() const {
  if (!starts_before()) return before(end_bound_, end_open_);
  return {points_,          *end_bound_,   unset_, QueryKind::range, {.lower_open = end_open_},
          batch_->offset(), batch_->size()};
}

void IntervalQuery::find_queries(std::size_t first, std::size_t count, bool* is_query) const {
  const ColumnView& lower = batch_->lower();
  const ColumnView& upper = batch_->upper();
  first += batch_->offset();
  for (std::size_t i = 0; i < count; ++i)
    is_query[i] = lower.valid(first + i) && upper.valid(first + i);
  if (!compares_ends()) return;
  const bool is_closed = !batch_->ends().any_open();
  const std::size_t leading = lower.parts().empty() ? 0 : lower.parts().size() - 1;
  for (std::size_t p = 0; p < leading; ++p)
    for (std::size_t i = 0; i < count; ++i)
      if (is_query[i] &&
          compare_values(lower.parts()[p], first + i, upper.parts()[p], first + i) != 0)
        fail("the ends of query {} have the leading values {} and {}: they must be equal",
             first + i, lower.parts()[p].text(first + i), upper.parts()[p].text(first + i));
  const ColumnView& low = lower.parts().empty() ? lower : lower.parts().back();
  const ColumnView& high = upper.parts().empty() ? upper : upper.parts().back();
  const auto find = [&](auto&& compare_at) {
    for (std::size_t i = 0; i < count; ++i) {
      const int order = compare_at(first + i);
      is_query[i] = is_query[i] && (order < 0 || (order == 0 && is_closed));
    }
  };
  if (!is_native(low.type()) || low.type() != high.type())
    return find([&](std::size_t i) { return compare_values(low, i, high, i); });
  visit_native(low.type(), [&]<class T>() {
    const T* const from = static_cast<const T*>(low.data());
    const T* const to = static_cast<const T*>(high.data());
    find([&](std::size_t i) {
      return compare(ordered_bits(value_of(from[i])), ordered_bits(value_of(to[i])));
    });
  });
}

}  // namespace rtindex
