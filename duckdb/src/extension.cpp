#include <exception>
#include <memory>

#include "api.hpp"
#include "functions.hpp"
#include "registry.hpp"

/// LOAD calls this once for each database.
DUCKDB_EXTENSION_ENTRYPOINT(duckdb_connection connection, duckdb_extension_info info,
                            duckdb_extension_access* access) {
  try {
    const auto registry = std::make_shared<rtindex::sql::Registry>();
    if (register_builds(connection, registry) && register_lookups(connection, registry) &&
        rtindex::sql::register_conditions(connection) && register_lists(connection, registry) &&
        rtindex::sql::register_help(connection))
      return true;
    access->set_error(info, "DuckDB did not accept the functions of rtindex");
  } catch (const std::exception& error) {
    access->set_error(info, error.what());
  }
  return false;
}
