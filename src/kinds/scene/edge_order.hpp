#pragma once

#include "keys/lookup_batch.hpp"
#include "kinds/scene/edge_rays.hpp"

namespace rtindex {

// Whether a row comes before another one, as seen from the edge of a range. Where the encoding is
// lossy, rows of one encoded key are in the order of their full keys.
[[nodiscard]] inline bool is_nearer(const LookupBatch& batch, Edge edge, const EdgeRow& row,
                                    const EdgeRow& than) {
  if (batch.has_residual() && than.row != miss_row && row.key == than.key) {
    const int order = batch.codec().comparer()->compare_rows(row.row, than.row);
    if (order != 0) return (order < 0) == (edge == Edge::first);
  }
  return row.is_nearer(edge, than);
}

}  // namespace rtindex
