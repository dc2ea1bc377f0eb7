#pragma once

#include <cstddef>
#include <span>

#include <rtindex/query.hpp>

#include "answers/request.hpp"
#include "engine/plan.hpp"
#include "engine/segment.hpp"
#include "keys/owned_column.hpp"

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

// The segments that answer a batch: all of them the same lookups, or each those of its own, as many
// as the others. Their answers are joined.
class BatchSources {
 public:
  BatchSources(std::span<const Segment> segments, const BatchQuery& query)
      : segments_(segments), queries_(&query, 1) {}
  BatchSources(std::span<const Segment> segments, std::span<const BatchQuery> queries)
      : segments_(segments), queries_(queries) {}

  // The number of segments, and that of lookups.
  [[nodiscard]] std::size_t size() const { return segments_.size(); }
  [[nodiscard]] std::size_t lookups() const { return queries_.front().size(); }
  [[nodiscard]] std::span<const Segment> segments() const { return segments_; }
  [[nodiscard]] const Segment& segment(std::size_t i) const { return segments_[i]; }
  [[nodiscard]] const BatchQuery& query(std::size_t i) const {
    return queries_[queries_.size() == 1 ? 0 : i];
  }
  // All lookups of a segment, or [first, first + count).
  [[nodiscard]] LookupBatch batch(std::size_t i) const { return batch(i, 0, lookups()); }
  [[nodiscard]] LookupBatch batch(std::size_t i, std::size_t first, std::size_t count) const {
    return query(i).batch(*segments_[i].codec, first, count);
  }

 private:
  std::span<const Segment> segments_;
  std::span<const BatchQuery> queries_;
};

// Throws where a segment does not support its query; called before anything is written.
inline void require_answerable(const BatchSources& sources) {
  for (std::size_t i = 0; i < sources.size(); ++i)
    sources.segment(i).searcher->require_answerable(sources.batch(i));
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

// Answers queries from segments in host memory.
class HostBatchRunner final : public BatchRunner {
 public:
  void run(std::span<const Segment> segments, const BatchQuery& query,
           const Request& request) const override;
  [[nodiscard]] RowBitmapPtr restricted(const RowBitmapPtr& deleted, const BitmapView& filter,
                                        Stream stream) const override;
  [[nodiscard]] RowBitmapPtr matching_rows(std::span<const Segment> segments,
                                           const ColumnView& keys, std::size_t row_count,
                                           Stream stream) const override;
};

// What run() does with a query that is no prefix.
[[nodiscard]] Plan plan_of(std::span<const Segment> segments, const BatchQuery& query,
                           const Request& request);

// The steps of a batch that the host can also do for segments on a GPU, with columns and answers in
// host memory.

// Prefixes as ranges: from the prefix to the least string above all strings that begin with it.
class PrefixRanges {
 public:
  explicit PrefixRanges(const ColumnView& prefixes);
  [[nodiscard]] BatchQuery query() const;

 private:
  const ColumnView& lower_;
  OwnedColumn own_upper_;
  ColumnView upper_;
};

// The answer `rows` of several segments in the order of keys.
void rows_in_order(std::span<const Segment> segments, const BatchQuery& query,
                   const Request& request);

// The pairs of a join in any order: request.pairs, and outputs.matched where it is set.
void append_pairs(const BatchSources& sources, const Request& request);

// Whether the values of each lookup are counted: for a mean, or because some may be null.
[[nodiscard]] bool counts_values(std::span<const Segment> segments, const Request& request);

// Answers for the neighbours of keys. Answers about all rows of a neighbour's key come from
// `points`, by a point query of these keys.
void answer_nearest(std::span<const Segment> segments, const BatchQuery& query,
                    const Request& request, const BatchRunner& points);

// The rows whose key equals one of these, as a bitmap in host memory.
[[nodiscard]] RowBitmapPtr matching_rows(std::span<const Segment> segments, const ColumnView& keys,
                                         std::size_t row_count, const BatchRunner& points);

}  // namespace rtindex
