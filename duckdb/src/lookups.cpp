#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <rtindex/rtindex.hpp>

#include "api.hpp"
#include "functions.hpp"
#include "keys.hpp"
#include "registry.hpp"

namespace rtindex::sql {

namespace {

/// A scalar function: what it looks up, and what it returns.
struct LookupFunction {
  const char* name;
  QueryKind kind;
  Answer answer;
  Direction direction = Direction::nearest;
};

constexpr std::array lookup_functions = std::to_array<LookupFunction>({
    {"rtindex_lookup", QueryKind::equal, Answer::first},
    {"rtindex_count", QueryKind::equal, Answer::count},
    {"rtindex_rows", QueryKind::equal, Answer::rows},
    {"rtindex_range_first", QueryKind::range, Answer::first},
    {"rtindex_range_count", QueryKind::range, Answer::count},
    {"rtindex_range_rows", QueryKind::range, Answer::rows},
    {"rtindex_prefix_count", QueryKind::prefix, Answer::count},
    {"rtindex_prefix_rows", QueryKind::prefix, Answer::rows},
    {"rtindex_predecessor", QueryKind::nearest, Answer::first, Direction::backward},
    {"rtindex_successor", QueryKind::nearest, Answer::first, Direction::forward},
    {"rtindex_nearest", QueryKind::nearest, Answer::first, Direction::nearest},
});

/// The data of a registered scalar function.
struct Registered {
  std::shared_ptr<Registry> registry;
  LookupFunction function;
};

/// The answers to a chunk of lookups; nothing if the lookup is the literal NULL.
std::optional<Answers> answers_to(const NamedIndex& named, const LookupFunction& function,
                                  duckdb_data_chunk chunk) {
  const idx_t arguments = duckdb_data_chunk_get_column_count(chunk) - 1;
  AnswerOptions options{.answers = function.answer};
  if (function.answer == Answer::rows) options.order = RowOrder::ascending;
  if (function.kind != QueryKind::range) {
    const LookupKeys keys(chunk, 1, arguments, named.parts);
    if (keys.all_null()) return std::nullopt;
    Query query = Query::nearest(keys.column(), {.direction = function.direction});
    query.kind = function.kind;
    return named.index.answer(query, options);
  }
  Ends ends = Ends::closed;
  if (arguments % 2 == 1) {
    const auto rows = all_rows(duckdb_data_chunk_get_size(chunk));
    auto* const last = duckdb_data_chunk_get_vector(chunk, arguments);
    const LogicalType type(duckdb_vector_get_column_type(last));
    if (duckdb_get_type_id(type.get()) != DUCKDB_TYPE_VARCHAR || arguments == 1)
      throw Error(std::string(function.name) +
                  " needs the lower and the upper keys of ranges, then '[]', '[)', '(]' or '()'");
    ends = ends_named(constant_text(last, rows, "the text for the ends of ranges"));
  }
  const LookupKeys lower(chunk, 1, arguments / 2, named.parts);
  const LookupKeys upper(chunk, 1 + arguments / 2, arguments / 2, named.parts);
  if (lower.all_null() || upper.all_null()) return std::nullopt;
  return named.index.answer(Query::range(lower.column(), upper.column(), ends), options);
}

void write_ids(const NamedIndex& named, std::span<const std::uint32_t> rows, std::int64_t* ids) {
  std::ranges::transform(rows, ids, [&](std::uint32_t row) { return named.id_of(row); });
}

std::uint64_t* writable_validity(duckdb_vector vector) {
  duckdb_vector_ensure_validity_writable(vector);
  return duckdb_vector_get_validity(vector);
}

/// One id for each lookup, NULL for a miss.
void write_first(const NamedIndex& named, std::span<const std::uint32_t> rows,
                 duckdb_vector result) {
  auto* ids = static_cast<std::int64_t*>(duckdb_vector_get_data(result));
  std::uint64_t* validity = nullptr;
  for (idx_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != miss_row) {
      ids[i] = named.id_of(rows[i]);
      continue;
    }
    if (validity == nullptr) validity = writable_validity(result);
    validity[i / 64] &= ~(std::uint64_t{1} << (i % 64));
  }
}

/// A list of ids for each lookup.
void write_rows(const NamedIndex& named, const Answers& answers, duckdb_vector result) {
  const auto offsets = answers.offsets();
  auto* lists = static_cast<duckdb_list_entry*>(duckdb_vector_get_data(result));
  for (idx_t i = 0; i < answers.size(); ++i)
    lists[i] = {.offset = offsets[i], .length = offsets[i + 1] - offsets[i]};
  const auto rows = answers.rows();
  duckdb_list_vector_reserve(result, rows.size());
  duckdb_list_vector_set_size(result, rows.size());
  auto* const child = duckdb_list_vector_get_child(result);
  write_ids(named, rows, static_cast<std::int64_t*>(duckdb_vector_get_data(child)));
}

/// What a lookup without a match returns: NULL, 0 or an empty list.
void write_misses(Answer answer, idx_t rows, duckdb_vector result) {
  if (answer == Answer::first) {
    std::fill_n(writable_validity(result), (rows + 63) / 64, 0);
  } else if (answer == Answer::count) {
    std::fill_n(static_cast<std::int64_t*>(duckdb_vector_get_data(result)), rows, 0);
  } else {
    std::fill_n(static_cast<duckdb_list_entry*>(duckdb_vector_get_data(result)), rows,
                duckdb_list_entry{});
  }
}

void look_up(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector result) {
  guarded(info, duckdb_scalar_function_set_error, [&] {
    const auto& [registry, function] =
        *static_cast<const Registered*>(duckdb_scalar_function_get_extra_info(info));
    const idx_t rows = duckdb_data_chunk_get_size(chunk);
    if (rows == 0) return;
    const SharedIndex named = registry->find(constant_text(
        duckdb_data_chunk_get_vector(chunk, 0), all_rows(rows), "the name of the index"));
    const SerialCalls serial;  // DuckDB's threads have a chunk each
    const auto answers = answers_to(*named, function, chunk);
    if (!answers) return write_misses(function.answer, rows, result);
    if (function.answer == Answer::first) return write_first(*named, answers->first(), result);
    if (function.answer == Answer::rows) return write_rows(*named, *answers, result);
    std::ranges::copy(answers->count(), static_cast<std::int64_t*>(duckdb_vector_get_data(result)));
  });
}

}  // namespace

bool register_lookups(duckdb_connection connection, const std::shared_ptr<Registry>& registry) {
  const LogicalType text = logical_type(DUCKDB_TYPE_VARCHAR);
  const LogicalType any = logical_type(DUCKDB_TYPE_ANY);
  const LogicalType number = logical_type(DUCKDB_TYPE_BIGINT);
  const LogicalType list(duckdb_create_list_type(number.get()));
  return std::ranges::all_of(lookup_functions, [&](const LookupFunction& lookup) {
    const Owner<duckdb_scalar_function> function(duckdb_create_scalar_function());
    duckdb_scalar_function_set_name(function.get(), lookup.name);
    duckdb_scalar_function_add_parameter(function.get(), text.get());
    duckdb_scalar_function_set_varargs(function.get(), any.get());
    duckdb_scalar_function_set_return_type(
        function.get(), lookup.answer == Answer::rows ? list.get() : number.get());
    duckdb_scalar_function_set_special_handling(function.get());  // NULL is a lookup like others
    duckdb_scalar_function_set_extra_info(function.get(), new Registered{registry, lookup},
                                          delete_object<Registered>);
    duckdb_scalar_function_set_function(function.get(), look_up);
    return duckdb_register_scalar_function(connection, function.get()) == DuckDBSuccess;
  });
}

}  // namespace rtindex::sql
