#pragma once

/// \file
/// Queries of intervals, whose points may lie between two ticks of the starts and ends.

#include <functional>
#include <span>
#include <vector>

#include <rtindex/query.hpp>

#include "api.hpp"
#include "registry.hpp"

namespace rtindex::sql {

/// The query of a chunk. Some ranges that intervals overlap lie between two ticks of the starts and
/// ends: their rows have a query of their own.
struct ChunkQuery {
  const Query* query;
  const Query* between_ticks = nullptr;
  std::vector<bool> is_between = {};  ///< by row

  [[nodiscard]] const Query& of(idx_t row) const {
    return between_ticks != nullptr && is_between[row] ? *between_ticks : *query;
  }
  [[nodiscard]] bool same(idx_t a, idx_t b) const { return &of(a) == &of(b); }
};

/// Receives the query of a chunk; null: no lookup of the chunk matches.
using UseQuery = std::function<void(const ChunkQuery*)>;

/// Calls `use` with the query whose lower and upper points are in these vectors of a chunk, behind
/// the leading values. `contains` has its points in both.
void with_interval_query(const NamedIndex& named, QueryKind kind, duckdb_data_chunk chunk,
                         std::span<const idx_t> lower, std::span<const idx_t> upper, Ends ends,
                         const UseQuery& use);

}  // namespace rtindex::sql
