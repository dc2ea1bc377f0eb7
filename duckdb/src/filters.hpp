#pragma once

/// \file
/// Filters over the columns of points.

#include <rtindex/answer.hpp>

#include "api.hpp"
#include "found.hpp"
#include "registry.hpp"

namespace rtindex::sql {

/// For each column of the points two ends, a LIST of values or rtindex_is_null(), then the ends of
/// the columns and a list of the ids that may match, if they are given. NULL is no bound, whatever
/// its type and wherever it comes from. `function`: its name in messages.
[[nodiscard]] Found filtered(const NamedIndex& named, const char* function, Answer answer,
                             duckdb_data_chunk chunk);

}  // namespace rtindex::sql
