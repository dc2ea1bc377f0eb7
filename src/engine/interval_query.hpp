#pragma once

#include <cstddef>
#include <cstdint>

#include "keys/interval_codec.hpp"
#include "keys/lookup_batch.hpp"

namespace rtindex {

// A batch of queries of intervals as two conditions of points: one of the starts, one of the ends.
class IntervalQuery {
 public:
  explicit IntervalQuery(const LookupBatch& batch);

  // Whether starts are at most, and ends at least, some key (contains, overlaps, covers); else
  // starts are at least, and ends at most, some key (within).
  [[nodiscard]] bool starts_before() const { return batch_->kind() != QueryKind::within; }
  // Whether the number of matches is a difference of ranks.
  [[nodiscard]] bool counts_by_rank() const {
    return batch_->kind() == QueryKind::contains || batch_->kind() == QueryKind::overlaps;
  }

  // Whether the starts, or the ends, of the matches are limited.
  [[nodiscard]] bool limits_starts() const { return start_bound_->has_value(); }
  [[nodiscard]] bool limits_ends() const { return end_bound_->has_value(); }

  // The starts that are before those of the matches (within), or that are not behind them.
  [[nodiscard]] LookupBatch starts() const {
    return before(start_bound_, starts_before() ? start_open_ : !start_open_);
  }
  // The starts of the matches: those of `within` up to the upper end, as none starts behind it.
  [[nodiscard]] LookupBatch matching_starts() const {
    if (starts_before()) return starts();
    return {
        points_,          *start_bound_, *end_bound_, QueryKind::range, {.lower_open = start_open_},
        batch_->offset(), batch_->size()};
  }
  // The starts up to the upper end: no match of `within` starts behind it.
  [[nodiscard]] LookupBatch starts_within() const { return before(end_bound_, false); }
  // The ends that are before those of the matches.
  [[nodiscard]] LookupBatch ends_before() const { return before(end_bound_, !end_open_); }
  // The ends of the matches.
  [[nodiscard]] LookupBatch ends() const;

  // Whether find_queries() compares both ends of queries.
  [[nodiscard]] bool compares_ends() const {
    return batch_->kind() != QueryKind::contains && batch_->lower().has_value() &&
           batch_->upper().has_value();
  }
  // Sets is_query[i] to whether query first + i is one: without nulls, and not of an empty range.
  // Throws where its ends have different leading values.
  void find_queries(std::size_t first, std::size_t count, bool* is_query) const;

 private:
  // Points before a bound.
  [[nodiscard]] LookupBatch before(const ColumnView* bound, bool is_open) const {
    return {points_,          unset_,        *bound, QueryKind::range, {.upper_open = is_open},
            batch_->offset(), batch_->size()};
  }

  const LookupBatch* batch_;
  const KeyCodec& points_;
  ColumnView unset_;
  const ColumnView* start_bound_;
  const ColumnView* end_bound_;
  bool start_open_ = false;
  bool end_open_ = false;
};

}  // namespace rtindex
