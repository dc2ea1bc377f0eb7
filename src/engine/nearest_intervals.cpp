#include "engine/nearest_intervals.hpp"

#include <algorithm>
#include <utility>

#include "base/parallel.hpp"
#include "keys/compare.hpp"
#include "keys/interval_codec.hpp"

namespace rtindex {

namespace {

// Rows in the order of the starts of their intervals.
class StartsOfRows {
 public:
  StartsOfRows(std::span<const Segment> segments, std::vector<std::uint32_t> rows)
      : rows_(std::move(rows)) {
    std::sort(rows_.begin(), rows_.end());
    rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
    const std::vector<Segment> points = segments_of_points(segments, IntervalSide::starts);
    starts_ = points.front().codec->null_column(rows_.size());
    for (const Segment& segment : points) copy_from(segment);
    view_ = starts_.view();
  }

  [[nodiscard]] bool precedes(std::uint32_t a, std::uint32_t b) const {
    const int order = compare_elements(view_, at(a), view_, at(b));
    return order != 0 ? order < 0 : a < b;
  }

 private:
  [[nodiscard]] std::size_t at(std::uint32_t row) const {
    return static_cast<std::size_t>(std::lower_bound(rows_.begin(), rows_.end(), row) -
                                    rows_.begin());
  }

  // Of a row in several segments the newest is valid, which comes last.
  void copy_from(const Segment& segment) {
    const EncodedColumn some = segment.searcher->column_of(rows_);
    const OwnedColumn decoded = segment.codec->decode(some);
    const ColumnView view = decoded.view();
    for (std::size_t i = 0; i < some.size(); ++i) starts_.set(at(some.row(i)), view, i);
  }

  std::vector<std::uint32_t> rows_;  // ascending
  OwnedColumn starts_;
  ColumnView view_;
};

// Sorts the rows of each lookup by the starts of their intervals and drops those above the limit.
void order_by_start(std::span<const Segment> segments, const Request& request) {
  std::vector<std::vector<std::uint32_t>>& chunks = *request.chunk_rows;
  std::vector<std::uint32_t> all;
  for (const std::vector<std::uint32_t>& chunk : chunks)
    all.insert(all.end(), chunk.begin(), chunk.end());
  if (all.empty()) return;
  const StartsOfRows starts(segments, std::move(all));
  const auto precedes = [&](std::uint32_t a, std::uint32_t b) {
    return request.order == RowOrder::ascending ? starts.precedes(a, b) : starts.precedes(b, a);
  };
  parallel_for(chunks.size(), 1, [&](std::size_t first, std::size_t count) {
    for (std::size_t c = first; c < first + count; ++c) {
      std::vector<std::uint32_t> kept;
      auto next = chunks[c].begin();
      // The rows of the lookups behind the last one are none.
      for (std::size_t i = c * chunk_lookups; next != chunks[c].end(); ++i) {
        std::uint64_t& size = request.row_counts[i];
        const auto end = next + static_cast<std::ptrdiff_t>(size);
        std::sort(next, end, precedes);
        size = std::min<std::uint64_t>(size, request.limit);
        kept.insert(kept.end(), next, next + static_cast<std::ptrdiff_t>(size));
        next = end;
      }
      chunks[c] = std::move(kept);
    }
  });
}

// The first rows alone, as the answer `any`.
[[nodiscard]] Request first_rows_of(const Request& request) {
  Request rows = request;
  rows.answers = Answer::first;
  rows.outputs = {.first = request.outputs.any, .memory_space = request.outputs.memory_space};
  rows.counts_values = false;
  rows.row_counts = nullptr;
  rows.chunk_rows = nullptr;
  rows.order = RowOrder::any;
  rows.plan = nullptr;
  return rows;
}

[[nodiscard]] bool any_bit(const std::vector<std::uint8_t>& bits) {
  return std::any_of(bits.begin(), bits.end(), [](std::uint8_t byte) { return byte != 0; });
}

[[nodiscard]] bool any_row(const Neighbours& found) {
  return std::any_of(found.rows.begin(), found.rows.end(),
                     [](std::uint32_t row) { return row != miss_row; });
}

}  // namespace

std::vector<Segment> segments_of_points(std::span<const Segment> segments, IntervalSide side) {
  std::vector<Segment> points;
  for (const Segment& segment : segments) {
    const IntervalPoints both = segment.searcher->interval_points();
    points.push_back({interval_codec(*segment.codec)->shared_points(),
                      side == IntervalSide::starts ? both.starts : both.ends, segment.deleted});
  }
  return points;
}

NearestOptions neighbours_on(IntervalSide side, const KeyCodec& intervals,
                             const NearestOptions& nearest) {
  const RangeEnds ends = range_ends(interval_codec(intervals)->ends());
  if (side == IntervalSide::ends) return {Direction::backward, ends.upper_open, nearest.tolerance};
  return {Direction::forward, ends.lower_open, nearest.tolerance};
}

void answer_closest(std::span<const Segment> segments, const Request& request,
                    const std::function<void(const Request& request)>& answer_from) {
  Request own = request;
  std::uint32_t* const any = std::exchange(own.outputs.any, nullptr);
  if (any != nullptr) {
    own.answers = request.answers.difference(Answer::any) | Answer::first;
    if (own.outputs.first == nullptr)
      own.outputs.first = any;
    else
      answer_from(first_rows_of(request));
  }
  const bool is_ordered = request.order != RowOrder::any && request.chunk_rows != nullptr;
  own.order = RowOrder::any;
  if (is_ordered) own.limit = no_limit;
  answer_from(own);
  if (is_ordered) order_by_start(segments, request);
}

NearestIntervals::NearestIntervals(std::span<const Segment> segments, const ColumnView& keys,
                                   const NearestOptions& nearest, const BatchRunner& runner)
    : nearest_(nearest), is_inside_((keys.size() + 7) / 8, 0) {
  if (nearest.exact) find_inside(segments, keys, runner);
  const std::vector<std::uint8_t> is_outside = outside(keys);
  const ColumnView others = keys.with_validity(is_outside.data());
  const std::vector<Segment> ends = segments_of_points(segments, IntervalSide::ends);
  const std::vector<Segment> starts = segments_of_points(segments, IntervalSide::starts);
  const auto find = [&](std::span<const Segment> points, IntervalSide side) {
    return find_neighbours(points, others, neighbours_on(side, *segments.front().codec, nearest),
                           true, nullptr);
  };
  if (nearest.direction != Direction::forward) before_ = find(ends, IntervalSide::ends);
  if (nearest.direction != Direction::backward) behind_ = find(starts, IntervalSide::starts);
  if (nearest.direction == Direction::nearest) drop_farther(keys);
  inside_ = keys.with_validity(is_inside_.data());
  ends_ = before_.keys.view();
  starts_ = behind_.keys.view();
  if (any_row(before_)) add(ends, ends_, QueryKind::equal);
  if (any_row(behind_)) add(starts, starts_, QueryKind::equal);
  if (any_bit(is_inside_) || sources_.empty()) add(segments, inside_, QueryKind::contains);
}

void NearestIntervals::find_inside(std::span<const Segment> segments, const ColumnView& keys,
                                   const BatchRunner& runner) {
  Request request;
  request.outputs.matched = is_inside_.data();
  runner.run(segments, {keys, keys, QueryKind::contains, {}, nearest_}, request);
}

std::vector<std::uint8_t> NearestIntervals::outside(const ColumnView& keys) const {
  std::vector<std::uint8_t> bits(is_inside_.size(), 0);
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys.valid(i) && (is_inside_[i / 8] >> (i % 8) & 1) == 0) set_matched(bits.data(), i);
  return bits;
}

// Of an end and a start that are as close, both are kept.
void NearestIntervals::drop_farther(const ColumnView& keys) {
  const ColumnView before = before_.keys.view();
  const ColumnView behind = behind_.keys.view();
  const auto drop = [](Neighbours& found, std::size_t i) {
    found.rows[i] = miss_row;
    set_null(found.keys, i);
  };
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (before_.rows[i] == miss_row || behind_.rows[i] == miss_row) continue;
    const KeyDistance to_before = distance_at(keys, before, i);
    const KeyDistance to_behind = distance_at(keys, behind, i);
    if (to_before.exceeds(to_behind)) drop(before_, i);
    if (to_behind.exceeds(to_before)) drop(behind_, i);
  }
}

void NearestIntervals::add(std::span<const Segment> segments, const ColumnView& keys,
                           QueryKind kind) {
  for (const Segment& segment : segments) {
    sources_.push_back(segment);
    queries_.push_back({keys, keys, kind, {}, nearest_});
  }
}

}  // namespace rtindex
