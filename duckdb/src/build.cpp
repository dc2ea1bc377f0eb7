#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
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

// rtindex_build(name, id, key...), rtindex_build_as(name, spec, id, key...),
// rtindex_build_intervals(name, ends, id, by..., start, end) and
// rtindex_build_points(name, id, column, column...) are aggregates:
// DuckDB reads the rows in the transaction of the query, with all threads and its progress bar.

namespace rtindex::sql {

namespace {

constexpr idx_t max_parts = 8;
constexpr const char* name_argument = "the name of the index";
constexpr const char* spec_argument = "the spec of the index";
constexpr const char* ends_argument = "the text for the ends of intervals";
// For calls of a few thousand lookups a CPU is faster than the GPU that `auto` would choose.
constexpr const char* default_spec_text = "auto@cpu";

/// The data of a registered build function.
struct RegisteredBuild {
  std::shared_ptr<Registry> registry;
  bool has_spec;
  Shape shape;  ///< of intervals the argument before the id is the text for their ends

  [[nodiscard]] idx_t id_argument() const {
    return 1 + (has_spec ? 1 : 0) + (shape == Shape::intervals ? 1 : 0);
  }
};

/// The state of one group of rows.
struct BuildState {
  std::string name;
  std::string spec = default_spec_text;
  std::string ends;  ///< of intervals, else empty
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
void append_rows(duckdb_aggregate_state handle, duckdb_data_chunk chunk,
                 const RegisteredBuild& build, std::span<const idx_t> rows) {
  BuildState*& state = state_of(handle);
  const bool first = state == nullptr;
  if (first) state = new BuildState;
  const auto read = [&](std::string& known, idx_t argument, const char* what) {
    auto* const vector = duckdb_data_chunk_get_vector(chunk, argument);
    require_same(known, constant_text(vector, rows, what), first, what);
  };
  read(state->name, 0, name_argument);
  if (build.has_spec) read(state->spec, 1, spec_argument);
  if (build.shape == Shape::intervals) read(state->ends, build.id_argument() - 1, ends_argument);
  state->own_piece().append(chunk, build.id_argument(), rows);
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
      append_rows(state, chunk, build, std::span(begin, end));
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
      require_same(target->ends, source->ends, first, ends_argument);
      target->pieces.insert(target->pieces.end(), source->pieces.begin(), source->pieces.end());
    }
  });
}

SharedIndex built(const BuildState& state, Shape shape) {
  AssembledColumn column(state.pieces, shape);
  std::vector<KeyType> types = column.types();
  std::optional<Ends> ends;
  if (!state.ends.empty()) {
    ends = ends_named(state.ends);
    types.pop_back();  // queries are compared with leading values and points
  }
  return std::make_shared<const NamedIndex>(
      NamedIndex{.name = state.name,
                 .index = rtindex::build(column.view(ends), state.spec),
                 .parts = std::move(types),
                 .rows = column.rows(),
                 .ids = column.take_ids()});
}

}  // namespace

SharedIndex without_rows(const NamedIndex& old) {
  const std::optional<Ends> ends = old.index.interval_ends();
  const auto none = std::make_shared<GatheredRows>();
  for (const KeyType& type : old.parts) none->parts.push_back({.type = type});
  if (ends)
    none->parts.push_back({.type = old.parts.back()});  // the ends, which are like the starts
  const Shape shape = ends                       ? Shape::intervals
                      : old.index.holds_points() ? Shape::points
                                                 : Shape::keys;
  const AssembledColumn column(std::span(&none, 1), shape);
  return std::make_shared<const NamedIndex>(
      NamedIndex{.name = old.name,
                 .index = rtindex::build(column.view(ends), old.index.spec()),
                 .parts = old.parts});
}

namespace {

/// Builds the index of each group; returns its number of rows.
void finalize(duckdb_function_info info, duckdb_aggregate_state* states, duckdb_vector result,
              idx_t count, idx_t offset) {
  guarded(info, duckdb_aggregate_function_set_error, [&] {
    const auto& build =
        *static_cast<const RegisteredBuild*>(duckdb_aggregate_function_get_extra_info(info));
    auto* rows = static_cast<std::int64_t*>(duckdb_vector_get_data(result)) + offset;
    for (idx_t i = 0; i < count; ++i) {
      const BuildState* state = state_of(states[i]);
      // DuckDB passes no arguments without rows: an old index of that name would be kept silently.
      if (state == nullptr)
        throw Error(
            std::string("there are no rows, and without rows DuckDB passes no name: no index was "
                        "built or replaced; empty an old one with CALL rtindex_clear(name)") +
            (build.shape == Shape::points
                 ? ""  // which would have such a row
                 : ", or add a row whose key is NULL (UNION ALL SELECT -1, NULL)"));
      SharedIndex index = built(*state, build.shape);
      rows[i] = static_cast<std::int64_t>(index->rows);
      build.registry->put(std::move(index));
    }
  });
}

Owner<duckdb_aggregate_function> build_function(const RegisteredBuild& build, idx_t key_parts) {
  const LogicalType text = logical_type(DUCKDB_TYPE_VARCHAR);
  const LogicalType any = logical_type(DUCKDB_TYPE_ANY);
  const LogicalType number = logical_type(DUCKDB_TYPE_BIGINT);
  Owner<duckdb_aggregate_function> function(duckdb_create_aggregate_function());
  for (idx_t argument = 0; argument < build.id_argument(); ++argument)
    duckdb_aggregate_function_add_parameter(function.get(), text.get());
  duckdb_aggregate_function_add_parameter(function.get(), number.get());
  for (idx_t part = 0; part < key_parts; ++part)
    duckdb_aggregate_function_add_parameter(function.get(), any.get());
  duckdb_aggregate_function_set_return_type(function.get(), number.get());
  duckdb_aggregate_function_set_functions(function.get(), state_size, init_state, update, combine,
                                          finalize);
  duckdb_aggregate_function_set_destructor(function.get(), destroy_states);
  duckdb_aggregate_function_set_special_handling(function.get());
  duckdb_aggregate_function_set_extra_info(function.get(), new RegisteredBuild(build),
                                           delete_object<RegisteredBuild>);
  return function;
}

bool register_build(duckdb_connection connection, const char* name, const RegisteredBuild& build) {
  const Owner<duckdb_aggregate_function_set> set(duckdb_create_aggregate_function_set(name));
  const idx_t min_parts = build.shape == Shape::keys ? 1 : 2;
  const idx_t most = max_parts + (build.shape == Shape::intervals ? 1 : 0);
  for (idx_t parts = min_parts; parts <= most; ++parts) {
    const auto function = build_function(build, parts);
    duckdb_aggregate_function_set_name(function.get(), name);
    if (duckdb_add_aggregate_function_to_set(set.get(), function.get()) != DuckDBSuccess)
      return false;
  }
  return duckdb_register_aggregate_function_set(connection, set.get()) == DuckDBSuccess;
}

}  // namespace

bool register_builds(duckdb_connection connection, const std::shared_ptr<Registry>& registry) {
  const auto both = [&](const std::string& name, Shape shape) {
    return register_build(connection, name.c_str(), {registry, false, shape}) &&
           register_build(connection, (name + "_as").c_str(), {registry, true, shape});
  };
  return both("rtindex_build", Shape::keys) && both("rtindex_build_intervals", Shape::intervals) &&
         both("rtindex_build_points", Shape::points);
}

}  // namespace rtindex::sql
