#include "cli/where.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "cli/key_input.hpp"
#include "column_files/text_values.hpp"

namespace rtindex::cli {

namespace {

// A condition of the command line: NAME=CONDITION.
struct Where {
  std::string name, condition;
};

std::vector<Where> conditions_of(const std::vector<std::string>& texts) {
  std::vector<Where> conditions;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      fail("invalid --where {}: expected NAME=CONDITION, such as price=10:20", text);
    Where one{text.substr(0, equals), text.substr(equals + 1)};
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

// LOWER:UPPER, either of which may be missing; VALUE, or several values separated by commas;
// nothing: null.
LoadedCondition condition_of(const Where& where, const LoadedColumn& column, Ends ends) {
  const std::string option = "--where " + where.name;
  const std::string& text = where.condition;
  LoadedCondition loaded;
  if (text.empty() && column.type() != Type::string) {
    loaded.kind = ConditionKind::is_null;
    return loaded;
  }
  const bool is_time = column.is_time() && parse_iso_time(text).has_value();
  if (text.find(':') != std::string::npos && !is_time && text.front() != '"') {
    const RangeText range = split_range(text, column);
    loaded.kind = ConditionKind::range;
    loaded.ends = ends;
    loaded.has_lower = !range.lower.empty();
    loaded.has_upper = !range.upper.empty();
    if (loaded.has_lower) loaded.lower = inline_keys({range.lower}, option, column);
    if (loaded.has_upper) loaded.upper = inline_keys({range.upper}, option, column);
    return loaded;
  }
  loaded.kind = ConditionKind::isin;
  loaded.has_lower = true;
  loaded.lower = inline_keys(split_values(text), option, column);
  return loaded;
}

}  // namespace

void WhereOptions::add_to(CLI::App& verb, const std::string& group) {
  verb.add_option("--where", texts_,
                  "NAME=CONDITION: LOWER:UPPER, a value, several values\n"
                  "separated by commas, or nothing; repeatable")
      ->type_name("NAME=CONDITION")
      ->group(group);
}

void WhereOptions::add_columns_to(BatchOptions& options) {
  names_ = options.csv_columns;
  if (!options.has_csv_columns()) {
    if (!names_.empty()) fail("--csv-column names a column of a CSV file, and --column is none");
    names_ = names_of_files(options.columns);
  }
  for (const Where& where : conditions_of(texts_)) {
    if (std::find(names_.begin(), names_.end(), where.name) != names_.end()) continue;
    if (!options.has_csv_columns())
      fail("--where {}: expected the name of a file of --column without its extension: {}",
           where.name, fmt::join(names_, ", "));
    names_.push_back(where.name);
  }
  // Points have two columns or more: a condition on one needs a second, which may be the same.
  if (names_.size() == 1) names_.push_back(names_.front());
  if (options.has_csv_columns()) options.csv_columns = names_;
  if (options.columns.size() == 1 && !options.has_csv_columns())
    options.columns.push_back(options.columns.front());
  options.as_points = true;
}

LoadedQuery WhereOptions::query(const LoadedColumn& points, Ends ends) const {
  LoadedQuery query;
  query.settings.kind = QueryKind::box;
  query.has_lower = false;
  query.conditions.resize(points.parts().size());
  std::string text;
  for (const Where& where : conditions_of(texts_)) {
    const auto at = static_cast<std::size_t>(std::find(names_.begin(), names_.end(), where.name) -
                                             names_.begin());
    query.conditions[at] = condition_of(where, points.parts()[at], ends);
    text += (text.empty() ? "" : " and ") + where.name + "=" + where.condition;
  }
  query.lower_text = {std::move(text)};
  return query;
}

}  // namespace rtindex::cli
