#pragma once

#include <cstddef>
#include <span>

#include "engine/batch_runner.hpp"
#include "engine/plan.hpp"
#include "keys/owned_column.hpp"

namespace rtindex {

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
