#include "filters.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "functions.hpp"
#include "keys.hpp"
#include "list_argument.hpp"
#include "row_lists.hpp"

namespace rtindex::sql {

namespace {

/// The condition on one column, as its arguments say.
struct ColumnCondition {
  ConditionKind kind = ConditionKind::range;
  idx_t argument = 0;  ///< the lower end, which the upper one follows, or the only argument
  Ends ends = Ends::closed;
};

/// A condition is that of a query, not of a row: that of other rows is never ignored.
void require_is_null(duckdb_vector vector, idx_t rows) {
  auto* const field = duckdb_struct_vector_get_child(vector, 0);
  const auto* values = static_cast<const bool*>(duckdb_vector_get_data(field));
  for (idx_t row = 0; row < rows; ++row)
    if (!is_valid(duckdb_vector_get_validity(vector), row) ||
        !is_valid(duckdb_vector_get_validity(field), row) || !values[row])
      throw Error("a condition of rtindex_is_null() is NULL or false: pass it in all rows");
}

/// "[),[]": the ends of each column, so that an equality beside a half-open range keeps both.
void set_ends(std::string_view text, std::span<ColumnCondition> conditions) {
  std::vector<Ends> ends;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    more = comma != std::string_view::npos;
    ends.push_back(ends_named(rest.substr(0, comma)));
    if (more) rest.remove_prefix(comma + 1);
  }
  if (ends.size() != conditions.size()) {
    std::string example = "'[)";
    for (std::size_t column = 1; column < conditions.size(); ++column) example += ",[]";
    throw Error("got the ends '" + std::string(text) + "' for " +
                std::to_string(conditions.size()) +
                " columns: pass those of each column, such as " + example +
                "' for a half-open range of the first one");
  }
  for (std::size_t column = 0; column < ends.size(); ++column) {
    if (conditions[column].kind != ConditionKind::range && ends[column] != Ends::closed)
      throw Error("got the ends '" + std::string(name_of(ends[column])) + "' for column " +
                  std::to_string(column + 1) + ", whose condition is no range: pass '[]' for it");
    conditions[column].ends = ends[column];
  }
}

/// Two ends, a list or rtindex_is_null() for each column; then the ends of the columns, and the ids
/// that may match: the last argument, if `has_ids`.
std::vector<ColumnCondition> conditions_of(const char* function, duckdb_data_chunk chunk,
                                           idx_t columns, bool& has_ids) {
  idx_t arguments = duckdb_data_chunk_get_column_count(chunk);
  std::vector<ColumnCondition> conditions;
  idx_t next = 1;
  while (conditions.size() < columns && next < arguments) {
    const LogicalType type = type_of(chunk, next);
    ColumnCondition condition{.argument = next};
    if (is_list(chunk, next)) condition.kind = ConditionKind::isin;
    if (is_null_condition(type.get())) condition.kind = ConditionKind::is_null;
    conditions.push_back(condition);
    next += condition.kind == ConditionKind::range ? 2 : 1;
  }
  has_ids = next < arguments && is_list(chunk, arguments - 1);
  if (has_ids) --arguments;
  const bool has_ends = next + 1 == arguments && is_text(chunk, next);
  if (conditions.size() != columns || (next != arguments && !has_ends))
    throw Error(
        std::string(function) + " needs for each of the " + std::to_string(columns) +
        " columns a lower and an upper end (NULL: no bound), a list of values or "
        "rtindex_is_null(); then, if you like, the ends of each column, such as '[),[]', and "
        "a list of the ids that may match");
  if (has_ends) set_ends(ends_text(chunk, next), conditions);
  return conditions;
}

/// The filters of a chunk. Rows are one query where they have the same lists, and NULLs at the same
/// ends.
class ChunkOfFilters {
 public:
  ChunkOfFilters(const NamedIndex& named, duckdb_data_chunk chunk,
                 std::vector<ColumnCondition> conditions)
      : named_(named),
        conditions_(std::move(conditions)),
        unbounded_(duckdb_data_chunk_get_size(chunk)),
        matches_none_(unbounded_.size()),
        bounds_(2 * conditions_.size()),
        lists_(conditions_.size()) {
    for (idx_t column = 0; column < conditions_.size(); ++column) read(chunk, column);
  }

  /// `ids`: those that may match; null: all.
  [[nodiscard]] Found answer(Answer wanted, RowLists* ids) const {
    Found found;
    const auto same = [&](idx_t a, idx_t b) {
      return has_same_lists(a, b) && (ids == nullptr || ids->same(a, b));
    };
    for_each_run(unbounded_.size(), same, [&](idx_t first, idx_t last) {
      std::optional<BitmapView> rows;
      if (ids != nullptr) rows = ids->rows_of(first);
      answer_run(first, last, wanted, rows, found);
    });
    return found;
  }

 private:
  /// A bit for each end without a bound: a NULL, or one that the condition does not have.
  using Pattern = std::uint32_t;
  /// The lists of a column, and all their elements.
  struct Lists {
    ListArgument list;
    LookupKeys values;
  };

  [[nodiscard]] Pattern no_bound() const { return (Pattern{1} << bounds_.size()) - 1; }

  [[nodiscard]] bool has_same_lists(idx_t a, idx_t b) const {
    return std::ranges::all_of(
        lists_, [&](const auto& lists) { return lists == nullptr || lists->list.same(a, b); });
  }

  void read(duckdb_data_chunk chunk, idx_t column) {
    const ColumnCondition& condition = conditions_[column];
    if (condition.kind == ConditionKind::range) {
      read_end(chunk, column, 2 * column, between_of_lower(condition.ends));
      read_end(chunk, column, 2 * column + 1, between_of_upper(condition.ends));
      conditions_[column].ends =
          ends_of(condition.ends, *bounds_[2 * column], *bounds_[2 * column + 1]);
      return;
    }
    for (Pattern& pattern : unbounded_) pattern |= Pattern{3} << (2 * column);
    if (condition.kind == ConditionKind::is_null)
      return require_is_null(duckdb_data_chunk_get_vector(chunk, condition.argument),
                             unbounded_.size());
    const ListArgument list(chunk, condition.argument);
    lists_[column] =
        std::make_unique<Lists>(Lists{list, LookupKeys(list.elements(), list.element_count(),
                                                       named_.parts[column], Between::null)});
  }

  /// The lower end of column c is end 2 * c, the upper one end 2 * c + 1.
  void read_end(duckdb_data_chunk chunk, idx_t column, idx_t end, Between between) {
    auto* const vector =
        duckdb_data_chunk_get_vector(chunk, conditions_[column].argument + end % 2);
    auto keys =
        std::make_unique<LookupKeys>(vector, unbounded_.size(), named_.parts[column], between);
    const std::uint64_t* validity = duckdb_vector_get_validity(vector);
    for (idx_t row = 0; row < unbounded_.size(); ++row) {
      if (keys->all_null() || !is_valid(validity, row)) {
        unbounded_[row] |= Pattern{1} << end;
      } else if (keys->matches_none(row)) {
        matches_none_[row] = true;
      }
    }
    bounds_[end] = std::move(keys);
  }

  /// Rows [first, last), which have the same lists.
  void answer_run(idx_t first, idx_t last, Answer wanted, const std::optional<BitmapView>& rows,
                  Found& found) const {
    const bool none = std::ranges::any_of(lists_, [&](const auto& lists) {
      return lists != nullptr && (lists->values.all_null() || lists->list.at(first).length == 0);
    });
    if (none) {
      for (idx_t row = first; row < last; ++row) found.append_miss(wanted);
      return;
    }
    const auto of_rows = std::span(unbounded_).subspan(first, last - first);
    std::vector<Pattern> patterns(of_rows.begin(), of_rows.end());
    std::ranges::sort(patterns);
    patterns.erase(std::unique(patterns.begin(), patterns.end()), patterns.end());
    std::vector<Answers> answers;
    answers.reserve(patterns.size());
    for (const Pattern pattern : patterns)
      answers.push_back(answer_pattern(pattern, first, last, wanted, rows));
    for (std::size_t row = 0; row < of_rows.size(); ++row) {
      const auto at = std::ranges::lower_bound(patterns, of_rows[row]) - patterns.begin();
      // A filter without bounds is a single query.
      found.append(answers[static_cast<std::size_t>(at)], of_rows[row] == no_bound() ? 0 : row,
                   wanted);
    }
  }

  /// Rows of other patterns are nulls in its batch, which match nothing.
  [[nodiscard]] Answers answer_pattern(Pattern pattern, idx_t first, idx_t last, Answer wanted,
                                       const std::optional<BitmapView>& rows) const {
    std::vector<std::uint8_t> valid((unbounded_.size() + 7) / 8);
    for (idx_t row = first; row < last; ++row)
      if (unbounded_[row] == pattern && !matches_none_[row])
        valid[row / 8] = static_cast<std::uint8_t>(valid[row / 8] | 1U << (row % 8));
    const auto bound = [&](idx_t end) {
      if ((pattern >> end & 1) != 0) return ColumnView();
      return bounds_[end]->column().with_validity(valid.data()).slice(first, last - first);
    };
    std::vector<Condition> conditions;
    for (idx_t column = 0; column < conditions_.size(); ++column) {
      const ColumnCondition& condition = conditions_[column];
      if (condition.kind == ConditionKind::is_null) {
        conditions.push_back(Condition::is_null());
      } else if (condition.kind == ConditionKind::isin) {
        const Lists& lists = *lists_[column];
        const duckdb_list_entry list = lists.list.at(first);
        conditions.push_back(
            Condition::isin(lists.values.column().slice(list.offset, list.length)));
      } else {
        const ColumnView lower = bound(2 * column);
        const ColumnView upper = bound(2 * column + 1);
        const bool none = !lower.has_value() && !upper.has_value();
        conditions.push_back(none ? Condition{} : Condition::range(lower, upper, condition.ends));
      }
    }
    Query query = Query::box(std::move(conditions));
    query.filter = rows;
    return named_.index.answer(query, {.answers = wanted});
  }

  const NamedIndex& named_;
  std::vector<ColumnCondition> conditions_;
  std::vector<Pattern> unbounded_;  ///< of each row
  std::vector<bool> matches_none_;  ///< whether an end of a row lies beyond all keys
  std::vector<std::unique_ptr<LookupKeys>> bounds_;  ///< of each end of a range
  std::vector<std::unique_ptr<Lists>> lists_;        ///< of each column, null without a list
};

void write_is_null(duckdb_function_info, duckdb_data_chunk chunk, duckdb_vector result) {
  auto* const field = duckdb_struct_vector_get_child(result, 0);
  std::fill_n(static_cast<bool*>(duckdb_vector_get_data(field)), duckdb_data_chunk_get_size(chunk),
              true);
}

}  // namespace

Found filtered(const NamedIndex& named, const char* function, Answer answer,
               duckdb_data_chunk chunk) {
  bool has_ids = false;
  const ChunkOfFilters filters(named, chunk,
                               conditions_of(function, chunk, named.parts.size(), has_ids));
  if (!has_ids) return filters.answer(answer, nullptr);
  RowLists ids(named, chunk, duckdb_data_chunk_get_column_count(chunk) - 1);
  return filters.answer(answer, &ids);
}

bool register_conditions(duckdb_connection connection) {
  const LogicalType boolean = logical_type(DUCKDB_TYPE_BOOLEAN);
  std::array types{boolean.get()};
  std::array names{is_null_field};
  const LogicalType type(duckdb_create_struct_type(types.data(), names.data(), types.size()));
  const Owner<duckdb_scalar_function> function(duckdb_create_scalar_function());
  duckdb_scalar_function_set_name(function.get(), "rtindex_is_null");
  duckdb_scalar_function_set_return_type(function.get(), type.get());
  duckdb_scalar_function_set_function(function.get(), write_is_null);
  return duckdb_register_scalar_function(connection, function.get()) == DuckDBSuccess;
}

}  // namespace rtindex::sql
