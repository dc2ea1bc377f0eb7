#include "cli/where.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/types.hpp"
#include "cli/key_input.hpp"
#include "column_files/text_values.hpp"

namespace rtindex::cli {

namespace {

// A condition of the command line: NAME=CONDITION.
struct Where {
  std::string name, condition;
};

// The end of the name: a name with an equals sign is in quotes.
std::size_t find_equals(const std::string& text) {
  if (!text.starts_with('"')) return text.find('=');
  const std::size_t quote = text.find("\"=", 1);
  return quote == std::string::npos ? text.find('=') : quote + 1;
}

std::vector<Where> conditions_of(const std::vector<std::string>& texts) {
  std::vector<Where> conditions;
  for (const std::string& text : texts) {
    const std::size_t equals = find_equals(text);
    if (equals == std::string::npos || equals == 0)
      fail("invalid --where {}: expected NAME=CONDITION, such as price=10:20", text);
    Where one{text.substr(0, equals), text.substr(equals + 1)};
    if (one.name.starts_with('"')) one.name = split_values(one.name, "--where").front();
    if (std::any_of(conditions.begin(), conditions.end(),
                    [&](const Where& other) { return other.name == one.name; }))
      fail("two conditions --where on {}: join them to one", one.name);
    conditions.push_back(std::move(one));
  }
  return conditions;
}

// The names of the columns in files of arrays: those of the files.
std::vector<std::string> names_of_files(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const std::string& file : files) names.push_back(std::filesystem::path(file).stem());
  return names;
}

// The first colon that is not in quotes.
std::size_t find_colon(const std::string& text) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') is_quoted = !is_quoted;
    if (text[i] == ':' && !is_quoted) return i;
  }
  return std::string::npos;
}

// Whether the text is a time, or several separated by commas; times contain colons.
bool are_times(std::string_view text) {
  for (;;) {
    const std::size_t comma = text.find(',');
    if (!parse_iso_time(text.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

// Whether the text is a range, LOWER:UPPER, and not a value or several.
bool is_range(const std::string& text, const LoadedColumn& column) {
  return find_colon(text) != std::string::npos && !(column.is_time() && are_times(text));
}

// One end of a range, without its quotes.
std::string end_of(const std::string& text, const std::string& option) {
  if (!text.starts_with('"')) return text;
  const std::vector<std::string> values = split_values(text, option);
  if (values.size() != 1 || values.front().empty())
    fail("invalid {} at '{}': expected one end of a range; omit an end that has no bound", option,
         text);
  return values.front();
}

RangeText range_of(const std::string& text, const LoadedColumn& column, const std::string& option) {
  if (text.find('"') == std::string::npos) return split_range(text, column, option);
  const std::size_t colon = find_colon(text);
  return {end_of(text.substr(0, colon), option), end_of(text.substr(colon + 1), option)};
}

// A range in brackets has ends of its own: [10:20).
struct BracketedRange {
  std::string text;
  Ends ends;
};

std::optional<BracketedRange> bracketed_range(const std::string& text, const LoadedColumn& column) {
  if (text.size() < 3 || (text.front() != '[' && text.front() != '(') ||
      (text.back() != ']' && text.back() != ')'))
    return std::nullopt;
  std::string inner = text.substr(1, text.size() - 2);
  if (!is_range(inner, column)) return std::nullopt;
  return BracketedRange{std::move(inner), ends_named(std::string{text.front(), text.back()})};
}

// With decimal commas 9,50 could be one number or two; a quote says that it is a list.
void require_one_reading(const Where& where, const LoadedColumn& column, const CsvOptions& csv) {
  const std::string& text = where.condition;
  if (csv.decimal != "," || !is_float(column.type())) return;
  if (text.find(',') == std::string::npos || text.find('"') != std::string::npos) return;
  fail(
      "invalid --where {}={}: with --decimal , a comma could be a decimal one or stand between "
      "values: write the number with a point, or quote each value of a list, \"9.5\",\"10\"",
      where.name, text);
}

// LOWER:UPPER, either of which may be missing, perhaps in brackets; VALUE, or several values
// separated by commas; nothing: null. An empty text is written "".
LoadedCondition condition_of(const Where& where, const LoadedColumn& column, Ends ends,
                             const CsvOptions& csv) {
  const std::string option = "--where " + where.name;
  const std::string& text = where.condition;
  LoadedCondition loaded;
  if (text.empty()) {
    loaded.kind = ConditionKind::is_null;
    return loaded;
  }
  if (is_range(text, column)) {
    const std::optional<BracketedRange> bracketed = bracketed_range(text, column);
    const RangeText range = range_of(bracketed ? bracketed->text : text, column, option);
    loaded.kind = ConditionKind::range;
    loaded.ends = bracketed ? bracketed->ends : ends;
    loaded.has_lower = !range.lower.empty();
    loaded.has_upper = !range.upper.empty();
    if (loaded.has_lower) loaded.lower = inline_keys({range.lower}, option, column);
    if (loaded.has_upper) loaded.upper = inline_keys({range.upper}, option, column);
    if (loaded.has_lower) require_text_bounds(loaded.lower, column);
    if (loaded.has_upper) require_text_bounds(loaded.upper, column);
    return loaded;
  }
  require_one_reading(where, column, csv);
  loaded.kind = ConditionKind::isin;
  loaded.has_lower = true;
  loaded.lower = inline_keys(split_values(text, option), option, column);
  return loaded;
}

}  // namespace

void WhereOptions::add_to(CLI::App& verb, const std::string& group) {
  verb.add_option("--where", texts_,
                  "NAME=CONDITION: LOWER:UPPER, or [LOWER:UPPER) for ends\n"
                  "of its own, a value, several values separated by commas,\n"
                  "or nothing for nulls; repeatable")
      ->type_name("NAME=CONDITION")
      ->group(group);
}

void WhereOptions::add_columns_to(BatchOptions& options) const {
  std::vector<std::string> names = options.csv_columns;
  if (!options.has_csv_columns()) {
    if (!names.empty()) fail("--csv-column names a column of a CSV file, and --column is none");
    names = names_of_files(options.columns);
  }
  for (const Where& where : conditions_of(texts_)) {
    if (std::find(names.begin(), names.end(), where.name) != names.end()) continue;
    if (!options.has_csv_columns())
      fail("--where {}: expected the name of a file of --column without its extension: {}",
           where.name, fmt::join(names, ", "));
    names.push_back(where.name);
  }
  // Points have two columns or more: a condition on one needs a second, which may be the same.
  if (names.size() == 1) names.push_back(names.front());
  if (options.has_csv_columns()) options.csv_columns = names;
  if (options.columns.size() == 1 && !options.has_csv_columns())
    options.columns.push_back(options.columns.front());
  options.as_points = true;
}

LoadedQuery WhereOptions::query(const LoadedColumn& points, Ends ends,
                                const CsvOptions& csv) const {
  LoadedQuery query;
  query.settings.kind = QueryKind::box;
  query.has_lower = false;
  query.conditions.resize(points.parts().size());
  const std::vector<std::string>& names = points.part_names();
  std::string text;
  for (const Where& where : conditions_of(texts_)) {
    const auto found = std::find(names.begin(), names.end(), where.name);
    if (found == names.end())
      fail("--where {}: {} holds points of {}: name one of these columns", where.name,
           points.name(), fmt::join(names, ", "));
    const auto at = static_cast<std::size_t>(found - names.begin());
    query.conditions[at] = condition_of(where, points.parts()[at], ends, csv);
    text += (text.empty() ? "" : " and ") + where.name + "=" + where.condition;
  }
  query.lower_text = {std::move(text)};
  return query;
}

}  // namespace rtindex::cli
