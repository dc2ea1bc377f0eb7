// The verb that filters rows by conditions on several columns.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "cli/batch.hpp"
#include "cli/key_input.hpp"
#include "cli/loaded_query.hpp"
#include "cli/verbs.hpp"
#include "column_files/text_values.hpp"

namespace rtindex::cli {

namespace {

struct FilterOptions : BatchOptions {
  std::vector<std::string> where;
};

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

// All conditions as one query.
LoadedQuery query_of(const std::vector<Where>& conditions, const std::vector<std::string>& names,
                     const LoadedColumn& column, Ends ends) {
  LoadedQuery query;
  query.settings.kind = QueryKind::box;
  query.has_lower = false;
  query.conditions.resize(column.parts().size());
  std::string text;
  for (const Where& where : conditions) {
    const auto at =
        static_cast<std::size_t>(std::find(names.begin(), names.end(), where.name) - names.begin());
    query.conditions[at] = condition_of(where, column.parts()[at], ends);
    text += (text.empty() ? "" : " and ") + where.name + "=" + where.condition;
  }
  query.lower_text = {std::move(text)};
  return query;
}

void run(FilterOptions options) {
  const std::vector<Where> conditions = conditions_of(options.where);
  std::vector<std::string> names = options.csv_columns;
  if (!options.has_csv_columns()) {
    if (!names.empty()) fail("--csv-column names a column of a CSV file, and --column is none");
    names = names_of_files(options.columns);
  }
  for (const Where& where : conditions) {
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
  LookupSource source;
  source.has_value = !conditions.empty();
  source.how = "conditions: --where NAME=LOWER:UPPER or --where NAME=VALUE";
  source.load = [&](const LoadedColumn& column) {
    std::vector<LoadedQuery> queries;
    queries.push_back(query_of(conditions, names, column, ends_named(options.ends)));
    return queries;
  };
  run_batch(options, source);
}

constexpr const char* filter_examples =
    R"help(A condition is a range with both ends, LOWER:UPPER, of which one may be missing; a value, or
several separated by commas, of which a row has one; or nothing, for rows without a value.
Rows match all conditions. Values with a comma or a colon are quoted as in CSV files.

Examples:
  rtindex filter --column sales.csv --where price=10:20 --where day=2024-01-01: --answer count
      How many sales at a price from 10 to 20 were there since the beginning of 2024?
  rtindex filter --column sales.csv --where store=7,8 --where price=:100 --ends "[)" \
                 --answer rows -o rows.csv
      The rows of two stores below a price.
  rtindex filter --column sales.csv --where day=2024-01-31 --where store=7 \
                 --values sales.csv --values-csv-column amount --answer sum,mean
      The amounts of a store on one day.
  rtindex filter --column price.npy --column day.npy --where price=10:20 --where day=2024-01-01:
      Columns from arrays, which are named like their files.)help";

}  // namespace

void add_filter(CLI::App& app) {
  auto options = std::make_shared<FilterOptions>();
  CLI::App* verb =
      app.add_subcommand("filter", "Find the rows that meet conditions on several columns.");
  options->add_column_to(*verb);
  options->add_values_to(*verb);
  verb->add_option("--where", options->where,
                   "NAME=CONDITION: LOWER:UPPER, a value, several values\n"
                   "separated by commas, or nothing; repeatable")
      ->type_name("NAME=CONDITION")
      ->group(input_group);
  add_ends_option(*verb, options->ends);
  options->add_output_to(*verb);
  verb->footer(filter_examples);
  verb->callback([options] { run(*options); });
}

}  // namespace rtindex::cli
