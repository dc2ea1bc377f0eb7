#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api.hpp"
#include "functions.hpp"
#include "registry.hpp"

// The table functions: rtindex_indexes() lists indexes, rtindex_drop(name) removes one,
// rtindex_clear(name) empties one.

namespace rtindex::sql {

namespace {

using RegistryPointer = std::shared_ptr<Registry>;

/// A column of rtindex_indexes: what it has for an index, written to row `row` of a vector.
struct ListColumn {
  const char* name;
  duckdb_type type;
  void (*write)(const NamedIndex& index, duckdb_vector vector, idx_t row);
};

void write_text(duckdb_vector vector, idx_t row, const std::string& text) {
  duckdb_vector_assign_string_element_len(vector, row, text.data(), text.size());
}

void write_number(duckdb_vector vector, idx_t row, std::size_t number) {
  static_cast<std::int64_t*>(duckdb_vector_get_data(vector))[row] =
      static_cast<std::int64_t>(number);
}

constexpr std::array list_columns = std::to_array<ListColumn>({
    {"name", DUCKDB_TYPE_VARCHAR,
     [](const NamedIndex& index, duckdb_vector vector, idx_t row) {
       write_text(vector, row, index.name);
     }},
    {"key_type", DUCKDB_TYPE_VARCHAR,
     [](const NamedIndex& index, duckdb_vector vector, idx_t row) {
       const auto ends = index.index.interval_ends();
       const std::string shape = ends ? "intervals " + std::string(name_of(*ends)) + " of "
                                 : index.index.holds_points() ? "points of "
                                                              : "";
       write_text(vector, row, shape + text_of(index.parts));
     }},
    {"spec", DUCKDB_TYPE_VARCHAR,
     [](const NamedIndex& index, duckdb_vector vector, idx_t row) {
       write_text(vector, row, index.index.spec().text());
     }},
    {"rows", DUCKDB_TYPE_BIGINT,
     [](const NamedIndex& index, duckdb_vector vector, idx_t row) {
       write_number(vector, row, index.rows);
     }},
    {"bytes", DUCKDB_TYPE_BIGINT,
     [](const NamedIndex& index, duckdb_vector vector, idx_t row) {
       write_number(vector, row, index.bytes());
     }},
});

/// A list that is being read.
struct Listing {
  std::vector<SharedIndex> indexes;
  std::vector<idx_t> columns;  ///< those that the query reads
  std::size_t next = 0;
};

void bind_list(duckdb_bind_info info) {
  for (const ListColumn& column : list_columns)
    duckdb_bind_add_result_column(info, column.name, logical_type(column.type).get());
}

void init_list(duckdb_init_info info) {
  guarded(info, duckdb_init_set_error, [&] {
    auto listing = std::make_unique<Listing>();
    listing->indexes = (*static_cast<RegistryPointer*>(duckdb_init_get_extra_info(info)))->all();
    for (idx_t i = 0; i < duckdb_init_get_column_count(info); ++i)
      listing->columns.push_back(duckdb_init_get_column_index(info, i));
    duckdb_init_set_init_data(info, listing.release(), delete_object<Listing>);
  });
}

void list(duckdb_function_info info, duckdb_data_chunk output) {
  guarded(info, duckdb_function_set_error, [&] {
    auto& listing = *static_cast<Listing*>(duckdb_function_get_init_data(info));
    const idx_t count =
        std::min<idx_t>(listing.indexes.size() - listing.next, duckdb_vector_size());
    for (idx_t i = 0; i < listing.columns.size(); ++i) {
      if (listing.columns[i] >= list_columns.size()) continue;  // of count(*): no column
      auto* const vector = duckdb_data_chunk_get_vector(output, i);
      for (idx_t row = 0; row < count; ++row)
        list_columns[listing.columns[i]].write(*listing.indexes[listing.next + row], vector, row);
    }
    listing.next += count;
    duckdb_data_chunk_set_size(output, count);
  });
}

/// rtindex_drop(name) frees an index.
struct Dropping {
  static constexpr const char* result = "dropped";
  static void run(Registry& registry, const std::string& name) { registry.drop(name); }
};

/// rtindex_clear(name) replaces an index by an empty one: what a build over no rows cannot do.
struct Clearing {
  static constexpr const char* result = "cleared";
  static void run(Registry& registry, const std::string& name) {
    registry.put(without_rows(*registry.find(name)));
  }
};

template <class Call>
void bind_call(duckdb_bind_info info) {
  guarded(info, duckdb_bind_set_error, [&] {
    const Value value(duckdb_bind_get_parameter(info, 0));
    if (duckdb_is_null_value(value.get()))
      throw Error("the name of the index is NULL: pass a text, such as 'orders_by_key'");
    char* text = duckdb_get_varchar(value.get());
    auto name = std::make_unique<std::string>(text);
    duckdb_free(text);
    duckdb_bind_set_bind_data(info, name.release(), delete_object<std::string>);
    duckdb_bind_add_result_column(info, Call::result, logical_type(DUCKDB_TYPE_VARCHAR).get());
  });
}

void init_call(duckdb_init_info info) {
  duckdb_init_set_init_data(info, new bool(false), delete_object<bool>);
}

template <class Call>
void call(duckdb_function_info info, duckdb_data_chunk output) {
  guarded(info, duckdb_function_set_error, [&] {
    if (std::exchange(*static_cast<bool*>(duckdb_function_get_init_data(info)), true)) {
      duckdb_data_chunk_set_size(output, 0);
      return;
    }
    const auto& name = *static_cast<const std::string*>(duckdb_function_get_bind_data(info));
    Call::run(**static_cast<RegistryPointer*>(duckdb_function_get_extra_info(info)), name);
    write_text(duckdb_data_chunk_get_vector(output, 0), 0, name);
    duckdb_data_chunk_set_size(output, 1);
  });
}

Owner<duckdb_table_function> table_function(const char* name, const RegistryPointer& registry,
                                            duckdb_table_function_bind_t bind,
                                            duckdb_table_function_init_t init,
                                            duckdb_table_function_t function) {
  Owner<duckdb_table_function> table(duckdb_create_table_function());
  duckdb_table_function_set_name(table.get(), name);
  duckdb_table_function_set_extra_info(table.get(), new RegistryPointer(registry),
                                       delete_object<RegistryPointer>);
  duckdb_table_function_set_bind(table.get(), bind);
  duckdb_table_function_set_init(table.get(), init);
  duckdb_table_function_set_function(table.get(), function);
  return table;
}

}  // namespace

bool register_lists(duckdb_connection connection, const std::shared_ptr<Registry>& registry) {
  const auto indexes = table_function("rtindex_indexes", registry, bind_list, init_list, list);
  duckdb_table_function_supports_projection_pushdown(indexes.get(), true);
  const auto with_name = [&]<class Call>(const char* name, Call) {
    const auto table = table_function(name, registry, bind_call<Call>, init_call, call<Call>);
    duckdb_table_function_add_parameter(table.get(), logical_type(DUCKDB_TYPE_VARCHAR).get());
    return duckdb_register_table_function(connection, table.get()) == DuckDBSuccess;
  };
  return duckdb_register_table_function(connection, indexes.get()) == DuckDBSuccess &&
         with_name("rtindex_drop", Dropping()) && with_name("rtindex_clear", Clearing());
}

}  // namespace rtindex::sql
