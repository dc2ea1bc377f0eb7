#include <algorithm>
#include <array>
#include <cstring>

#include "api.hpp"
#include "functions.hpp"

// rtindex_functions() describes every function: DuckDB's C API passes no descriptions to
// duckdb_functions().

namespace rtindex::sql {

namespace {

struct Described {
  const char* name;
  const char* arguments;
  const char* description;
};

constexpr std::array described = std::to_array<Described>({
    {"rtindex_build", "name, id, key, ...", "aggregate: builds an index; returns its rows"},
    {"rtindex_build_as", "name, spec, id, key, ...", "the same, with the kind of index"},
    {"rtindex_build_intervals", "name, ends, id, by, ..., start, end",
     "aggregate: builds an index of intervals; ends is '[]', '[)', '(]' or '()'"},
    {"rtindex_build_intervals_as", "name, spec, ends, id, by, ..., start, end",
     "the same, with the kind of index"},
    {"rtindex_build_points", "name, id, column, column, ...",
     "aggregate: builds an index of points, for filters over several columns"},
    {"rtindex_build_points_as", "name, spec, id, column, column, ...",
     "the same, with the kind of index"},
    {"rtindex_lookup", "name, key, ... [, ids]",
     "the smallest id with this key, or NULL; ids is a list of those that may match"},
    {"rtindex_count", "name, key, ... [, ids]", "how many rows have this key"},
    {"rtindex_rows", "name, key, ... [, ids]", "the ids with this key"},
    {"rtindex_range_first", "name, lower, upper [, ends] [, ids]",
     "the smallest id in a range, or NULL"},
    {"rtindex_range_count", "name, lower, upper [, ends] [, ids]", "how many rows are in a range"},
    {"rtindex_range_rows", "name, lower, upper [, ends] [, ids]", "the ids in a range, by key"},
    {"rtindex_prefix_count", "name, prefix [, ids]", "how many strings begin with a text"},
    {"rtindex_prefix_rows", "name, prefix [, ids]", "the ids of strings that begin with a text"},
    {"rtindex_predecessor", "name, key, ... [, ids]",
     "the smallest id with the greatest key that is not above, or NULL; all parts of a composite "
     "key "
     "but the last must be equal"},
    {"rtindex_predecessor_count", "name, key, ... [, ids]",
     "how many rows have the greatest key that is not above"},
    {"rtindex_predecessor_rows", "name, key, ... [, ids]",
     "the ids with the greatest key that is not above"},
    {"rtindex_successor", "name, key, ... [, ids]",
     "the smallest id with the smallest key that is not below, or NULL; all parts of a composite "
     "key "
     "but the last must be equal"},
    {"rtindex_successor_count", "name, key, ... [, ids]",
     "how many rows have the smallest key that is not below"},
    {"rtindex_successor_rows", "name, key, ... [, ids]",
     "the ids with the smallest key that is not below"},
    {"rtindex_nearest", "name, key, ... [, ids]",
     "the smallest id with the closest key, or of the closest intervals, or NULL; all parts of a "
     "composite key but the last must be equal"},
    {"rtindex_nearest_count", "name, key, ... [, ids]",
     "how many rows have the closest key, or how many intervals are the closest"},
    {"rtindex_nearest_rows", "name, key, ... [, ids]",
     "the ids with the closest key, or of the closest intervals"},
    {"rtindex_contains_first", "name, by, ..., point [, ids]",
     "the smallest id of intervals with a point"},
    {"rtindex_contains_count", "name, by, ..., point [, ids]",
     "how many intervals contain a point"},
    {"rtindex_contains_rows", "name, by, ..., point [, ids]",
     "the ids of intervals that contain a point"},
    {"rtindex_overlaps_first", "name, by, ..., lower, upper [, ends] [, ids]",
     "the smallest id of intervals that overlap a range"},
    {"rtindex_overlaps_count", "name, by, ..., lower, upper [, ends] [, ids]",
     "how many intervals overlap a range"},
    {"rtindex_overlaps_rows", "name, by, ..., lower, upper [, ends] [, ids]",
     "the ids of intervals that overlap a range"},
    {"rtindex_within_first", "name, by, ..., lower, upper [, ends] [, ids]",
     "the smallest id of intervals within a range"},
    {"rtindex_within_count", "name, by, ..., lower, upper [, ends] [, ids]",
     "how many intervals lie within a range"},
    {"rtindex_within_rows", "name, by, ..., lower, upper [, ends] [, ids]",
     "the ids of intervals within a range"},
    {"rtindex_covers_first", "name, by, ..., lower, upper [, ends] [, ids]",
     "the smallest id of intervals that cover a range"},
    {"rtindex_covers_count", "name, by, ..., lower, upper [, ends] [, ids]",
     "how many intervals cover a range"},
    {"rtindex_covers_rows", "name, by, ..., lower, upper [, ends] [, ids]",
     "the ids of intervals that cover a range"},
    {"rtindex_filter_first", "name, condition, ... [, ends] [, ids]",
     "the smallest id of points that meet a condition on each column, or NULL; a condition is two "
     "ends (NULL: no bound), a list of values or rtindex_is_null(); ends are those of each column: "
     "'[),[]'"},
    {"rtindex_filter_count", "name, condition, ... [, ends] [, ids]",
     "how many points meet a condition on each column, likewise"},
    {"rtindex_filter_rows", "name, condition, ... [, ends] [, ids]",
     "the ids of points that meet a condition on each column, likewise"},
    {"rtindex_is_null", "", "a condition of filters: the column is NULL"},
    {"rtindex_indexes", "", "table: the indexes of this database"},
    {"rtindex_drop", "name", "table: frees an index"},
    {"rtindex_clear", "name", "table: replaces an index by an empty one with the same keys"},
    {"rtindex_functions", "", "table: this list"},
});

void bind_help(duckdb_bind_info info) {
  const LogicalType text = logical_type(DUCKDB_TYPE_VARCHAR);
  for (const char* name : {"name", "arguments", "description"})
    duckdb_bind_add_result_column(info, name, text.get());
}

void init_help(duckdb_init_info info) {
  duckdb_init_set_init_data(info, new idx_t(0), delete_object<idx_t>);
}

void help(duckdb_function_info info, duckdb_data_chunk output) {
  auto& next = *static_cast<idx_t*>(duckdb_function_get_init_data(info));
  const idx_t count = std::min<idx_t>(described.size() - next, duckdb_vector_size());
  for (idx_t row = 0; row < count; ++row) {
    const Described& function = described[next + row];
    idx_t column = 0;
    for (const char* text : {function.name, function.arguments, function.description})
      duckdb_vector_assign_string_element_len(duckdb_data_chunk_get_vector(output, column++), row,
                                              text, std::strlen(text));
  }
  next += count;
  duckdb_data_chunk_set_size(output, count);
}

}  // namespace

bool register_help(duckdb_connection connection) {
  const Owner<duckdb_table_function> table(duckdb_create_table_function());
  duckdb_table_function_set_name(table.get(), "rtindex_functions");
  duckdb_table_function_set_bind(table.get(), bind_help);
  duckdb_table_function_set_init(table.get(), init_help);
  duckdb_table_function_set_function(table.get(), help);
  return duckdb_register_table_function(connection, table.get()) == DuckDBSuccess;
}

}  // namespace rtindex::sql
