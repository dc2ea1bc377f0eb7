#pragma once

/// \file
/// The functions of the extension, by what they do. Each registers some and returns whether DuckDB
/// accepted them.

#include <memory>

#include "api.hpp"

namespace rtindex::sql {

class Registry;
struct NamedIndex;

/// An empty index of the same name, spec and keys.
[[nodiscard]] std::shared_ptr<const NamedIndex> without_rows(const NamedIndex& old);

/// rtindex_build, rtindex_build_as and those of intervals and points.
[[nodiscard]] bool register_builds(duckdb_connection connection,
                                   const std::shared_ptr<Registry>& registry);
/// rtindex_lookup, rtindex_range_count and so on.
[[nodiscard]] bool register_lookups(duckdb_connection connection,
                                    const std::shared_ptr<Registry>& registry);
/// rtindex_is_null, a condition of filters.
[[nodiscard]] bool register_conditions(duckdb_connection connection);
/// rtindex_functions.
[[nodiscard]] bool register_help(duckdb_connection connection);
/// rtindex_indexes, rtindex_drop and rtindex_clear.
[[nodiscard]] bool register_lists(duckdb_connection connection,
                                  const std::shared_ptr<Registry>& registry);

}  // namespace rtindex::sql
