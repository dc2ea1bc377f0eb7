#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "api.hpp"
#include "filters.hpp"
#include "found.hpp"
#include "functions.hpp"
#include "interval_queries.hpp"
#include "keys.hpp"
#include "list_argument.hpp"
#include "registry.hpp"
#include "row_lists.hpp"

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
    {"rtindex_predecessor_count", QueryKind::nearest, Answer::count, Direction::backward},
    {"rtindex_predecessor_rows", QueryKind::nearest, Answer::rows, Direction::backward},
    {"rtindex_successor", QueryKind::nearest, Answer::first, Direction::forward},
    {"rtindex_successor_count", QueryKind::nearest, Answer::count, Direction::forward},
    {"rtindex_successor_rows", QueryKind::nearest, Answer::rows, Direction::forward},
    {"rtindex_nearest", QueryKind::nearest, Answer::first, Direction::nearest},
    {"rtindex_nearest_count", QueryKind::nearest, Answer::count, Direction::nearest},
    {"rtindex_nearest_rows", QueryKind::nearest, Answer::rows, Direction::nearest},
    {"rtindex_contains_first", QueryKind::contains, Answer::first},
    {"rtindex_contains_count", QueryKind::contains, Answer::count},
    {"rtindex_contains_rows", QueryKind::contains, Answer::rows},
    {"rtindex_overlaps_first", QueryKind::overlaps, Answer::first},
    {"rtindex_overlaps_count", QueryKind::overlaps, Answer::count},
    {"rtindex_overlaps_rows", QueryKind::overlaps, Answer::rows},
    {"rtindex_within_first", QueryKind::within, Answer::first},
    {"rtindex_within_count", QueryKind::within, Answer::count},
    {"rtindex_within_rows", QueryKind::within, Answer::rows},
    {"rtindex_covers_first", QueryKind::covers, Answer::first},
    {"rtindex_covers_count", QueryKind::covers, Answer::count},
    {"rtindex_covers_rows", QueryKind::covers, Answer::rows},
    {"rtindex_filter_first", QueryKind::box, Answer::first},
    {"rtindex_filter_count", QueryKind::box, Answer::count},
    {"rtindex_filter_rows", QueryKind::box, Answer::rows},
});

/// The data of a registered scalar function.
struct Registered {
  std::shared_ptr<Registry> registry;
  LookupFunction function;
};

void require_kind(const NamedIndex& named, const LookupFunction& function) {
  const bool intervals = named.index.interval_ends().has_value();
  const bool points = named.index.holds_points();
  const bool filters = function.kind == QueryKind::box;
  const bool nearest = function.kind == QueryKind::nearest;  // of keys or intervals
  if (points == filters && (nearest || intervals == searches_intervals(function.kind))) return;
  throw Error(
      "the index '" + named.name + "' holds " +
      (intervals ? "intervals: use the functions rtindex_contains_..., rtindex_overlaps_..., "
                   "rtindex_within_..., rtindex_covers_... and rtindex_nearest..."
       : points  ? "points: use the functions rtindex_filter_first, rtindex_filter_count and "
                   "rtindex_filter_rows"
       : filters ? "keys: build one with rtindex_build_points"
                 : "keys: build one with rtindex_build_intervals"));
}

/// Whether the index can return rows in the order of keys; if not, all rows of an answer have one
/// key, or are points.
bool has_order(const NamedIndex& named) {
  return named.index.interval_ends() || named.index.supports(Answer::rows, QueryKind::range);
}

/// An index without an order of keys finds equal whole keys alone.
void require_order(const NamedIndex& named, const LookupFunction& function, idx_t arguments) {
  const bool is_first_part =
      function.kind == QueryKind::equal && arguments < named.parts.size() && arguments != 0;
  const QueryKind kind = is_first_part ? QueryKind::range : function.kind;
  if (named.index.supports(function.answer, kind)) return;
  const std::string spec = named.index.spec().text();
  throw Error("the index '" + named.name + "' is " + spec.substr(0, spec.find(',')) +
              ", which finds equal keys only: build it with rtindex_build, or with "
              "rtindex_build_as and 'btree@cpu'");
}

void require_prefixes(const NamedIndex& named) {
  if (named.parts.size() == 1 && named.parts.front().type == Type::string) return;
  throw Error("the index '" + named.name + "' has keys of type " + text_of(named.parts) +
              ": prefixes need keys that are one VARCHAR; build an index over a cast to it");
}

/// Of neighbours, and of points of intervals: all parts of a key.
void require_all_parts(const NamedIndex& named, idx_t arguments) {
  const std::size_t parts = named.parts.size();
  if (parts == 1 || arguments == parts) return;  // others are found with the keys
  throw Error("the index '" + named.name + "' has keys of type " + text_of(named.parts) +
              ": pass all " + std::to_string(parts) + " parts, not " + std::to_string(arguments));
}

Between between_of(const NamedIndex& named, const LookupFunction& function) {
  if (named.index.interval_ends()) return Between::reject;
  if (function.kind == QueryKind::equal || function.kind == QueryKind::prefix) return Between::null;
  if (function.kind != QueryKind::nearest || function.direction == Direction::nearest)
    return Between::reject;
  return function.direction == Direction::backward ? Between::down : Between::up;
}

/// The arguments of a range, and its ends.
struct RangeArguments {
  std::vector<idx_t> lower, upper;  ///< vectors of the chunk
  Ends ends = Ends::closed;
};

/// Of keys: all parts of the lower key, then those of the upper one. Of intervals: the leading
/// values, the lower and the upper point. Then the text for the ends, if it is given.
RangeArguments range_arguments(const NamedIndex& named, const LookupFunction& function,
                               duckdb_data_chunk chunk, idx_t arguments) {
  const bool intervals = searches_intervals(function.kind);
  const idx_t leading = intervals ? named.parts.size() - 1 : 0;
  const bool has_ends = (arguments - leading) % 2 == 1;
  const idx_t bounds = arguments - leading - (has_ends ? 1 : 0);
  RangeArguments range;
  bool valid = arguments >= leading + 2 && (!intervals || bounds == 2);
  if (valid && has_ends) {
    valid = is_text(chunk, arguments);
    if (valid) range.ends = ends_named(ends_text(chunk, arguments));
  }
  if (!valid)
    throw Error(std::string(function.name) + " needs " +
                (leading != 0 ? "the leading values, then " : "") +
                "the lower and the upper keys of ranges, then '[]', '[)', '(]' or '()'");
  for (idx_t i = 1; i <= leading; ++i) {
    range.lower.push_back(i);
    range.upper.push_back(i);
  }
  for (idx_t i = 0; i < bounds / 2; ++i) {
    range.lower.push_back(1 + leading + i);
    range.upper.push_back(1 + leading + bounds / 2 + i);
  }
  return range;
}

/// Calls use(query) with the lookups of a chunk, or use(nullptr) if they are the literal NULL.
/// `arguments`: how many describe them, the name of the index not counted.
void with_query(const NamedIndex& named, const LookupFunction& function, duckdb_data_chunk chunk,
                idx_t arguments, const UseQuery& use) {
  if (function.kind == QueryKind::prefix) require_prefixes(named);
  if (!named.index.interval_ends()) require_order(named, function, arguments);
  if (!has_two_ends(function.kind)) {
    std::vector<idx_t> vectors(arguments);
    std::iota(vectors.begin(), vectors.end(), idx_t{1});
    if (function.kind == QueryKind::nearest || function.kind == QueryKind::contains)
      require_all_parts(named, arguments);
    if (function.kind == QueryKind::contains)
      return with_interval_query(named, function.kind, chunk, vectors, vectors, Ends::closed, use);
    if (function.kind == QueryKind::nearest && function.direction == Direction::nearest &&
        named.parts.back().type == Type::string)
      throw Error(named.parts.back().text() +
                  " keys have no distance: use rtindex_predecessor... or rtindex_successor...");
    const LookupKeys keys(chunk, vectors, named.parts, between_of(named, function), Purpose::key);
    if (keys.all_null()) return use(nullptr);
    Query query = Query::nearest(keys.column(), {.direction = function.direction});
    query.kind = function.kind;
    const ChunkQuery of_chunk{&query};
    return use(&of_chunk);
  }
  const RangeArguments range = range_arguments(named, function, chunk, arguments);
  if (function.kind != QueryKind::range)
    return with_interval_query(named, function.kind, chunk, range.lower, range.upper, range.ends,
                               use);
  const LookupKeys lower(chunk, range.lower, named.parts, between_of_lower(range.ends),
                         Purpose::range);
  const LookupKeys upper(chunk, range.upper, named.parts, between_of_upper(range.ends),
                         Purpose::range);
  if (lower.all_null() || upper.all_null()) return use(nullptr);
  const Query query{.kind = function.kind,
                    .lower = lower.column(),
                    .upper = upper.column(),
                    .ends = ends_of(range.ends, lower, upper)};
  const ChunkQuery of_chunk{&query};
  use(&of_chunk);
}

/// The answers where the query differs from row to row, or the list of the ids that may match.
/// `ids`: null where all may.
Found answer_in_runs(const NamedIndex& named, const ChunkQuery& query, const AnswerOptions& options,
                     Answer wanted, RowLists* ids) {
  Found found;
  for_each_run(
      query.query->size(),
      [&](idx_t a, idx_t b) { return query.same(a, b) && (ids == nullptr || ids->same(a, b)); },
      [&](idx_t first, idx_t last) {
        Query run = query.of(first).slice(first, last - first);
        if (ids != nullptr) run = run.with_filter(ids->rows_of(first));
        const Answers answers = named.index.answer(run, options);
        for (idx_t call = 0; call < last - first; ++call) found.append(answers, call, wanted);
      });
  return found;
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

/// A list of ids for each lookup. `offsets`: of the lookups in `rows`, and the end.
void write_rows(const NamedIndex& named, std::span<const std::uint64_t> offsets,
                std::span<const std::uint32_t> rows, duckdb_vector result) {
  auto* lists = static_cast<duckdb_list_entry*>(duckdb_vector_get_data(result));
  for (idx_t i = 0; i + 1 < offsets.size(); ++i)
    lists[i] = {.offset = offsets[i], .length = offsets[i + 1] - offsets[i]};
  duckdb_list_vector_reserve(result, rows.size());
  duckdb_list_vector_set_size(result, rows.size());
  auto* const child = duckdb_list_vector_get_child(result);
  auto* const ids = static_cast<std::int64_t*>(duckdb_vector_get_data(child));
  write_ids(named, rows, ids);
  if (has_order(named)) return;
  for (idx_t i = 0; i + 1 < offsets.size(); ++i) std::sort(ids + offsets[i], ids + offsets[i + 1]);
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

void write(const NamedIndex& named, Answer wanted, const Answers& answers, duckdb_vector result) {
  if (wanted == Answer::first) return write_first(named, answers.first(), result);
  if (wanted == Answer::rows) return write_rows(named, answers.offsets(), answers.rows(), result);
  std::ranges::copy(answers.count(), static_cast<std::int64_t*>(duckdb_vector_get_data(result)));
}

void write(const NamedIndex& named, Answer wanted, const Found& found, duckdb_vector result) {
  if (wanted == Answer::first) return write_first(named, found.first, result);
  if (wanted == Answer::rows) return write_rows(named, found.offsets, found.rows, result);
  std::ranges::copy(found.count, static_cast<std::int64_t*>(duckdb_vector_get_data(result)));
}

void look_up(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector result) {
  guarded(info, duckdb_scalar_function_set_error, [&] {
    const auto& [registry, function] =
        *static_cast<const Registered*>(duckdb_scalar_function_get_extra_info(info));
    const idx_t rows = duckdb_data_chunk_get_size(chunk);
    if (rows == 0) return;
    const SharedIndex named = registry->find(constant_text(
        duckdb_data_chunk_get_vector(chunk, 0), all_rows(rows), "the name of the index"));
    require_kind(*named, function);
    const SerialCalls serial;  // DuckDB's threads have a chunk each
    const Answer wanted = function.answer;
    if (function.kind == QueryKind::box)
      return write(*named, wanted, filtered(*named, function.name, wanted, chunk), result);
    const idx_t last = duckdb_data_chunk_get_column_count(chunk) - 1;
    const bool has_ids = last > 1 && is_list(chunk, last);
    with_query(*named, function, chunk, has_ids ? last - 1 : last, [&](const ChunkQuery* query) {
      if (query == nullptr) return write_misses(wanted, rows, result);
      AnswerOptions options{.answers = wanted};
      if (wanted == Answer::rows && has_order(*named)) options.order = RowOrder::ascending;
      if (!has_ids && query->between_ticks == nullptr)
        return write(*named, wanted, named->index.answer(*query->query, options), result);
      std::optional<RowLists> ids;
      if (has_ids) ids.emplace(*named, chunk, last);
      write(*named, wanted, answer_in_runs(*named, *query, options, wanted, ids ? &*ids : nullptr),
            result);
    });
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
    // An index may be built again: calls of constants must not be computed when they are planned.
    duckdb_scalar_function_set_volatile(function.get());
    duckdb_scalar_function_set_extra_info(function.get(), new Registered{registry, lookup},
                                          delete_object<Registered>);
    duckdb_scalar_function_set_function(function.get(), look_up);
    return duckdb_register_scalar_function(connection, function.get()) == DuckDBSuccess;
  });
}

}  // namespace rtindex::sql
