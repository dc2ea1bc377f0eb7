#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "api.hpp"
#include "functions.hpp"
#include "gathered.hpp"
#include "keys.hpp"
#include "registry.hpp"

// rtindex_build(name, id, key...) and rtindex_build_as(name, spec, id, key...) are aggregates:
// DuckDB reads the rows in the transaction of the query, with all threads and its progress bar.

namespace rtindex::sql {

namespace {

constexpr idx_t max_parts = 8;
constexpr const char* name_argument = "the name of the index";
constexpr const char* spec_argument = "the spec of the index";
// For calls of a few thousand lookups a CPU is faster than the GPU that `auto` would choose.
constexpr const char* default_spec_text = "auto@cpu";

/// The data of a registered build function.
struct RegisteredBuild {
  std::shared_ptr<Registry> registry;
  bool has_spec;
};

/// The state of one group of rows.
struct BuildState {
  std::string name;
  std::string spec = default_spec_text;
  /// Combined states share their pieces: DuckDB may combine a state with several others.
  std::vector<std::shared_ptr<GatheredRows>> pieces;

  GatheredRows& own_piece() {
    if (pieces.empty() || pieces.back().use_count() > 1)
      pieces.push_back(std::make_shared<GatheredRows>());
    return *pieces.back();
  }
};

BuildState*& state_of(duckdb_aggregate_state state) {
  return *reinterpret_cast<BuildState**>(state);
}

// DuckDB keeps a pointer to a BuildState for each group.
idx_t state_size(duckdb_function_info) { return sizeof(void*); }

void init_state(duckdb_function_info, duckdb_aggregate_state state) { state_of(state) = nullptr; }

void destroy_states(duckdb_aggregate_state* states, idx_t count) {
  for (idx_t i = 0; i < count; ++i) delete std::exchange(state_of(states[i]), nullptr);
}

void require_same(std::string& known, std::string_view text, bool first, const char* what) {
  if (first) known = text;
  if (known != text) throw_different(what, known, text);
}

/// Rows of a chunk that belong to the same state.
void append_rows(duckdb_aggregate_state handle, duckdb_data_chunk chunk, bool has_spec,
                 std::span<const idx_t> rows) {
  BuildState*& state = state_of(handle);
  const bool first = state == nullptr;
  if (first) state = new BuildState;
  const auto read = [&](std::string& known, idx_t argument, const char* what) {
    auto* const vector = duckdb_data_chunk_get_vector(chunk, argument);
    require_same(known, constant_text(vector, rows, what), first, what);
  };
  read(state->name, 0, name_argument);
  if (has_spec) read(state->spec, 1, spec_argument);
  state->own_piece().append(chunk, has_spec ? 2 : 1, rows);
}

void update(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_aggregate_state* states) {
  guarded(info, duckdb_aggregate_function_set_error, [&] {
    const auto& build =
        *static_cast<const RegisteredBuild*>(duckdb_aggregate_function_get_extra_info(info));
    const idx_t count = duckdb_data_chunk_get_size(chunk);
    if (count == 0) return;
    const auto in_order = all_rows(count);
    std::vector<idx_t> rows(in_order.begin(), in_order.end());
    // Without GROUP BY all rows have the same state.
    const bool grouped =
        std::any_of(states, states + count, [&](auto state) { return state != states[0]; });
    if (grouped) std::ranges::stable_sort(rows, {}, [&](idx_t row) { return states[row]; });
    for (auto begin = rows.begin(); begin != rows.end();) {
      auto* const state = states[*begin];
      const auto end =
          grouped ? std::find_if(begin, rows.end(), [&](idx_t row) { return states[row] != state; })
                  : rows.end();
      append_rows(state, chunk, build.has_spec, std::span(begin, end));
      begin = end;
    }
  });
}

void combine(duckdb_function_info info, duckdb_aggregate_state* sources,
             duckdb_aggregate_state* targets, idx_t count) {
  guarded(info, duckdb_aggregate_function_set_error, [&] {
    for (idx_t i = 0; i < count; ++i) {
      const BuildState* source = state_of(sources[i]);
      BuildState*& target = state_of(targets[i]);
      if (source == nullptr) continue;
      const bool first = target == nullptr;
      if (first) target = new BuildState;
      require_same(target->name, source->name, first, name_argument);
      require_same(target->spec, source->spec, first, spec_argument);
      target->pieces.insert(target->pieces.end(), source->pieces.begin(), source->pieces.end());
    }
  });
}

SharedIndex built(const BuildState& state) {
  AssembledColumn column(state.pieces);
  return std::make_shared<const NamedIndex>(
      NamedIndex{.name = state.name,
                 .index = rtindex::build(column.view(), state.spec),
                 .parts = column.types(),
                 .rows = column.rows(),
                 .ids = column.take_ids()});
}

/// Builds the index of each group; returns its number of rows.
void finalize(duckdb_function_info info, duckdb_aggregate_state* states, duckdb_vector result,
              idx_t count, idx_t offset) {
  guarded(info, duckdb_aggregate_function_set_error, [&] {
    const auto& build =
        *static_cast<const RegisteredBuild*>(duckdb_aggregate_function_get_extra_info(info));
    auto* rows = static_cast<std::int64_t*>(duckdb_vector_get_data(result)) + offset;
    for (idx_t i = 0; i < count; ++i) {
      const BuildState* state = state_of(states[i]);
      if (state == nullptr) {  // no rows, so no name either
        duckdb_vector_ensure_validity_writable(result);
        duckdb_validity_set_row_invalid(duckdb_vector_get_validity(result), offset + i);
        continue;
      }
      SharedIndex index = built(*state);
      rows[i] = static_cast<std::int64_t>(index->rows);
      build.registry->put(std::move(index));
    }
  });
}

Owner<duckdb_aggregate_function> build_function(const std::shared_ptr<Registry>& registry,
                                                bool has_spec, idx_t key_parts) {
  const LogicalType text = logical_type(DUCKDB_TYPE_VARCHAR);
  const LogicalType any = logical_type(DUCKDB_TYPE_ANY);
  const LogicalType number = logical_type(DUCKDB_TYPE_BIGINT);
  Owner<duckdb_aggregate_function> function(duckdb_create_aggregate_function());
  duckdb_aggregate_function_add_parameter(function.get(), text.get());
  if (has_spec) duckdb_aggregate_function_add_parameter(function.get(), text.get());
  duckdb_aggregate_function_add_parameter(function.get(), number.get());
  for (idx_t part = 0; part < key_parts; ++part)
    duckdb_aggregate_function_add_parameter(function.get(), any.get());
  duckdb_aggregate_function_set_return_type(function.get(), number.get());
  duckdb_aggregate_function_set_functions(function.get(), state_size, init_state, update, combine,
                                          finalize);
  duckdb_aggregate_function_set_destructor(function.get(), destroy_states);
  duckdb_aggregate_function_set_special_handling(function.get());
  duckdb_aggregate_function_set_extra_info(function.get(), new RegisteredBuild{registry, has_spec},
                                           delete_object<RegisteredBuild>);
  return function;
}

}  // namespace

bool register_builds(duckdb_connection connection, const std::shared_ptr<Registry>& registry) {
  for (const bool has_spec : {false, true}) {
    const char* name = has_spec ? "rtindex_build_as" : "rtindex_build";
    const Owner<duckdb_aggregate_function_set> set(duckdb_create_aggregate_function_set(name));
    for (idx_t parts = 1; parts <= max_parts; ++parts) {
      const auto function = build_function(registry, has_spec, parts);
      duckdb_aggregate_function_set_name(function.get(), name);
      if (duckdb_add_aggregate_function_to_set(set.get(), function.get()) != DuckDBSuccess)
        return false;
    }
    if (duckdb_register_aggregate_function_set(connection, set.get()) != DuckDBSuccess)
      return false;
  }
  return true;
}

}  // namespace rtindex::sql
