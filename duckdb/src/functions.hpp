#pragma once

/// \file
/// The functions of the extension, by what they do. Each registers some and returns whether DuckDB
/// accepted them.

#include <memory>

#include "api.hpp"

namespace rtindex::sql {

class Registry;

/// rtindex_build, rtindex_build_as and those of intervals and points.
[[nodiscard]] bool register_builds(duckdb_connection connection,
                                   const std::shared_ptr<Registry>& registry);
/// rtindex_lookup, rtindex_range_count and so on.
[[nodiscard]] bool register_lookups(duckdb_connection connection,
                                    const std::shared_ptr<Registry>& registry);
/// rtindex_functions.
[[nodiscard]] bool register_help(duckdb_connection connection);
/// rtindex_indexes and rtindex_drop.
[[nodiscard]] bool register_lists(duckdb_connection connection,
                                  const std::shared_ptr<Registry>& registry);

}  // namespace rtindex::sql
