#pragma once

#include <cstddef>
#include <span>

#include <rtindex/query.hpp>

#include "answers/request.hpp"
#include "engine/segment.hpp"

namespace rtindex {

// A query that was checked, as segments search it.
struct BatchQuery {
  const ColumnView& lower;
  const ColumnView& upper;  // equal to `lower` unless the query is a range
  QueryKind kind;
  RangeEnds ends;
  const NearestOptions& nearest;
  std::span<const Condition> conditions = {};  // of boxes
  std::size_t boxes = 0;

  [[nodiscard]] std::size_t size() const {
    return kind == QueryKind::box ? boxes : lookups_in(lower, upper);
  }
  // All lookups, or [first, first + count), as a segment's codec encodes them.
  [[nodiscard]] LookupBatch batch(const KeyCodec& codec) const { return batch(codec, 0, size()); }
  [[nodiscard]] LookupBatch batch(const KeyCodec& codec, std::size_t first,
                                  std::size_t count) const {
    return {codec, lower, upper, kind, ends, first, count, conditions};
  }
  [[nodiscard]] static BatchQuery equal(const ColumnView& keys) {
    static const NearestOptions unused;
    return {keys, keys, QueryKind::equal, {}, unused};
  }
};

// Throws where a segment does not support the query; called before anything is written.
inline void require_answerable(std::span<const Segment> segments, const BatchQuery& query) {
  for (const Segment& segment : segments)
    segment.searcher->require_answerable(query.batch(*segment.codec));
}

// Answers queries from all segments of an index.
class BatchRunner {
 public:
  virtual ~BatchRunner() = default;

  virtual void run(std::span<const Segment> segments, const BatchQuery& query,
                   const Request& request) const = 0;
  // The deleted rows of a segment, and all rows that a filter of `filter.rows` rows lacks. The
  // filter must live as long as the result.
  [[nodiscard]] virtual RowBitmapPtr restricted(const RowBitmapPtr& deleted,
                                                const BitmapView& filter, Stream stream) const = 0;
  // The rows whose key equals one of these; null: none.
  [[nodiscard]] virtual RowBitmapPtr matching_rows(std::span<const Segment> segments,
                                                   const ColumnView& keys, std::size_t row_count,
                                                   Stream stream) const = 0;
};

}  // namespace rtindex
