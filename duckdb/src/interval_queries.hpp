#pragma once

/// \file
/// Queries of intervals, whose points may lie between two ticks of the starts and ends.

#include <functional>
#include <span>

#include <rtindex/query.hpp>

#include "api.hpp"
#include "registry.hpp"

namespace rtindex::sql {

/// Receives the query of a chunk; null: no lookup of the chunk matches.
using UseQuery = std::function<void(const Query*)>;

/// Calls `use` with the query whose lower and upper points are in these vectors of a chunk, behind
/// the leading values. `contains` has its points in both.
void with_interval_query(const NamedIndex& named, QueryKind kind, duckdb_data_chunk chunk,
                         std::span<const idx_t> lower, std::span<const idx_t> upper, Ends ends,
                         const UseQuery& use);

}  // namespace rtindex::sql
