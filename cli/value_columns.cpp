// The columns of values that --values and --include name: included columns of a saved index,
// columns of the CSV file --column, or files.

#include "cli/value_columns.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/types.hpp"
#include "cli/records.hpp"

namespace rtindex::cli {

namespace {

bool is_file(const std::string& path) {
  std::error_code error;
  return path == standard_stream || std::filesystem::exists(path, error);
}

LoadedColumn checked_values(LoadedColumn values, const std::string& column,
                            const LoadedColumn& of_column) {
  if (!is_native(values.type()))
    fail("{}{} holds strings: expected numbers for sum, mean, min and max",
         column.empty() ? "" : "column " + column + " of ", values.name());
  if (values.size() != of_column.size())
    fail("{} holds {} values, but {} has {} rows: expected one value per row", values.name(),
         values.size(), of_column.name(), of_column.size());
  return values;
}

// A file of values, whose --csv-column may be the one of the keys.
ColumnFile file_of_values(const BatchOptions& options, const std::string& path,
                          const std::string& csv_name, const std::string& option) {
  ColumnFile file{.path = path,
                  .format = options.format_of_file(path),
                  .csv_column = {.name = csv_name, .option = option + "-csv-column"},
                  .csv_format = options.csv.format(),
                  .access = Access::random};
  // --csv-column names the key column if that is a CSV file; otherwise it may name the values.
  if (csv_name.empty() && !options.has_csv_columns() && options.csv_columns.size() <= 1)
    file.csv_column = {.name = options.csv_columns.empty() ? "" : options.csv_columns.front(),
                       .or_the_only_one = true};
  return file;
}

}  // namespace

std::string quoted_names(const std::vector<IncludedType>& included) {
  std::vector<std::string> names;
  for (const IncludedType& one : included) names.push_back("'" + one.name + "'");
  return fmt::format("{}", fmt::join(names, ", "));
}

std::optional<ColumnFile> column_of_csv(const BatchOptions& options, const std::string& csv_file,
                                        const std::string& text, const std::string& option) {
  const std::vector<std::string> names = csv_names(FileBytes(csv_file), options.csv.format());
  if (std::find(names.begin(), names.end(), text) != names.end())
    return ColumnFile{.path = csv_file,
                      .format = FileFormat::csv,
                      .csv_column = {.name = text, .option = option},
                      .csv_format = options.csv.format(),
                      .access = Access::random};
  if (!is_file(text))
    fail("{} has no column '{}', and there is no such file: choose one of {} with {}", csv_file,
         text, fmt::join(names, ", "), option);
  return std::nullopt;
}

ChosenValues choose_values(const BatchOptions& options, const LoadedColumn& of_column,
                           const Index* saved) {
  if (saved != nullptr && options.wants_values()) {
    const std::vector<IncludedType> included = saved->included();
    if (options.values.empty()) {
      if (included.empty())
        fail(
            "{} includes no values: pass --values FILE with one value per row, or build the index "
            "with --include",
            options.saved);
      if (included.size() > 1)
        fail("{} includes {}: choose one of them with --values", options.saved,
             quoted_names(included));
      return {.included = included.front()};
    }
    const auto named = std::find_if(included.begin(), included.end(), [&](const IncludedType& one) {
      return one.name == options.values;
    });
    if (options.values_csv_column.empty() && named != included.end()) return {.included = *named};
    if (!is_file(options.values))
      fail("{} includes {}, and there is no file '{}': pass one of these names, or a file",
           options.saved, included.empty() ? "no values" : quoted_names(included), options.values);
  }
  if (options.values.empty()) return {};
  std::optional<ColumnFile> file;
  if (options.values_csv_column.empty() && options.has_csv_columns())
    file = column_of_csv(options, options.columns.front(), options.values, "--values");
  if (!file) file = file_of_values(options, options.values, options.values_csv_column, "--values");
  return {.column = checked_values(options.read(*file), file->csv_column.name, of_column)};
}

std::vector<NamedColumn> load_included(const BatchOptions& options, const LoadedColumn& of_column) {
  if (options.include.empty() && !options.include_csv_columns.empty())
    fail("--include-csv-column needs --include FILE: add it");
  std::vector<NamedColumn> included;
  const auto add = [&](std::string name, const ColumnFile& file) {
    for (const NamedColumn& other : included)
      if (other.name == name)
        fail("two columns of --include are named '{}': rename one of them", name);
    included.push_back(
        {std::move(name), checked_values(options.read(file), file.csv_column.name, of_column)});
  };
  for (const PartFile& part :
       part_files(options.include, options.include_csv_columns, "--include-csv-column")) {
    std::optional<ColumnFile> file;
    if (part.csv_name.empty() && options.has_csv_columns())
      file = column_of_csv(options, options.columns.front(), part.path, "--include");
    if (file)
      add(part.path, *file);
    else
      add(name_of_column(part), file_of_values(options, part.path, part.csv_name, "--include"));
  }
  return included;
}

IncludedColumns included_columns(const std::vector<NamedColumn>& columns) {
  std::vector<IncludedColumn> views;
  for (const NamedColumn& one : columns) views.push_back({one.name, one.column.view()});
  return views;
}

}  // namespace rtindex::cli
