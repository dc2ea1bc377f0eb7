#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "cli/batch.hpp"
#include "cli/csv_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/json_text.hpp"
#include "cli/loaded_query.hpp"
#include "cli/progress.hpp"
#include "cli/reading.hpp"
#include "cli/table.hpp"
#include "cli/verbs.hpp"
#include "column_files/column_file.hpp"
#include "column_files/csv_reader.hpp"

namespace rtindex::cli {

namespace {

struct InfoOptions {
  std::string file, format;
  std::vector<std::string> csv_columns;
  CsvOptions csv;
  bool json = false;
};

// What is known about a column, or why it cannot be read.
struct ColumnInfo {
  std::string name, type, error, note;
  std::size_t rows = 0, nulls = 0;
  std::optional<std::string> min, max;
  std::vector<std::optional<std::string>> first;
};

struct Extremes {
  std::size_t min, max;  // rows
};

template <class T>
bool is_nan(const T& key) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(key);
  return false;
}

// `key_at(row)`: what is compared; NaN is the greatest. None if every key is null.
template <class KeyAt>
std::optional<Extremes> extremes(const ColumnView& column, KeyAt key_at) {
  const auto is_less = [&](std::size_t a, std::size_t b) {
    const auto key = key_at(a);
    const auto other = key_at(b);
    return key < other || (is_nan(other) && !is_nan(key));
  };
  std::optional<Extremes> found;
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (!column.valid(row)) continue;
    if (!found) found = {row, row};
    if (is_less(row, found->min)) found->min = row;
    if (is_less(found->max, row)) found->max = row;
  }
  return found;
}

std::optional<Extremes> extremes(const ColumnView& column) {
  if (column.type() == Type::string)
    return extremes(column, [&](std::size_t row) { return column.string(row); });
  if (!is_native(column.type())) return std::nullopt;
  return visit_native(column.type(), [&]<class T>() {
    const auto* const elements = static_cast<const T*>(column.data());
    return extremes(column, [&](std::size_t row) { return value_of(elements[row]); });
  });
}

ColumnInfo info_of(const std::string& name, const LoadedColumn& column) {
  constexpr std::size_t max_first = 10;
  const ColumnView view = column.view();
  ColumnInfo info{.name = name, .type = column.type_text(), .note = column.remark()};
  info.rows = view.size();
  for (std::size_t row = 0; row < view.size(); ++row) info.nulls += view.valid(row) ? 0 : 1;
  for (std::size_t row = 0; row < std::min(view.size(), max_first); ++row)
    info.first.push_back(view.valid(row) ? std::optional(column.plain_text(row)) : std::nullopt);
  if (const auto rows = extremes(view)) {
    info.min = column.plain_text(rows->min);
    info.max = column.plain_text(rows->max);
  }
  return info;
}

ColumnInfo info_of(const std::string& name, const ColumnFile& file) {
  try {
    return info_of(name, read_column(file, Progress::on_terminal_only()));
  } catch (const Error& error) {
    return {.name = name, .error = error.what()};
  }
}

std::vector<ColumnInfo> columns_of(const InfoOptions& options) {
  ColumnFile file{.path = options.file, .csv_format = options.csv.format()};
  file.format =
      options.format.empty() ? file_format_of(options.file) : file_format_named(options.format);
  if (file.format != FileFormat::csv)
    return {info_of("", read_column(file, Progress::on_terminal_only()))};
  std::vector<std::string> names = options.csv_columns;
  if (names.empty()) names = csv_names(FileBytes(options.file), file.csv_format);
  std::vector<ColumnInfo> all;
  for (const std::string& name : names) {
    file.csv_column.name = name;
    if (name.empty() && names.size() > 1)
      all.push_back({.error = fmt::format("column {} of {} has no name in the first line: name it",
                                          all.size() + 1, options.file)});
    else
      all.push_back(info_of(name, file));
  }
  return all;
}

std::string json_or_null(const std::optional<std::string>& text) {
  return text ? json_text(*text) : "null";
}

std::string json_line(const std::string& file, const ColumnInfo& info) {
  std::string json = fmt::format(R"({{"file": {}, "column": {})", json_text(file),
                                 info.name.empty() ? "null" : json_text(info.name));
  if (!info.error.empty()) return json + fmt::format(", \"error\": {}}}\n", json_text(info.error));
  std::string first;
  for (const auto& text : info.first) first += (first.empty() ? "" : ", ") + json_or_null(text);
  json +=
      fmt::format(R"(, "type": {}, "rows": {}, "nulls": {}, "min": {}, "max": {}, "first": [{}])",
                  json_text(info.type), info.rows, info.nulls, json_or_null(info.min),
                  json_or_null(info.max), first);
  if (!info.note.empty()) json += fmt::format(", \"note\": {}", json_text(info.note));
  return json + "}\n";
}

// A text that fits a table.
std::string shortened(std::string text) {
  constexpr std::size_t longest = 60;
  if (text.size() <= longest) return text;
  std::size_t cut = longest - 3;
  while (cut != 0 && (text[cut] & 0xc0) == 0x80) --cut;  // not within a character of UTF-8
  return text.substr(0, cut) + "...";
}

void print_table(const std::vector<ColumnInfo>& columns) {
  Table table({"column", "type", "rows", "null", "min", "max"});
  for (const ColumnInfo& info : columns)
    if (info.error.empty())
      table.add({info.name, info.type, fmt::format("{}", info.rows), fmt::format("{}", info.nulls),
                 shortened(info.min.value_or("-")), shortened(info.max.value_or("-"))});
  if (table.rows() != 0) fmt::print("{}", table.text());
  const std::string* last_error = nullptr;  // of a broken line every column has the same
  for (const ColumnInfo& info : columns) {
    if (!info.note.empty()) fmt::print("note: {}\n", info.note);
    if (info.error.empty()) continue;
    if (last_error == nullptr || *last_error != info.error)
      fmt::print("cannot be read: {}\n", info.error);
    last_error = &info.error;
  }
}

std::vector<std::string> names_of(const std::vector<IncludedType>& included) {
  std::vector<std::string> names;
  names.reserve(included.size());
  for (const IncludedType& one : included) names.push_back(one.name);
  return names;
}

Index load_index(const std::string& file) {
  const InterruptGuard guard;
  Progress loading("loading " + file, Progress::of_call, Progress::on_terminal_only());
  return load(file, {.control = loading.control()});
}

void print_index(const InfoOptions& options) {
  const Index index = load_index(options.file);
  const LoadedColumn column = column_of(index, options.file);
  const std::uintmax_t bytes = std::filesystem::file_size(options.file);
  if (options.json) {
    fmt::print(
        "{{\"file\": {}, \"spec\": {}, \"type\": {}, \"rows\": {}, \"valid\": {}, "
        "\"bytes\": {}, \"columns\": {}, \"included\": {}}}\n",
        json_text(options.file), json_text(index.spec().text()), json_text(column.type_text()),
        index.size(), index.valid(), bytes, json_array(column.part_names()),
        json_array(names_of(index.included())));
    return;
  }
  fmt::print("index file of {}\n{}", human_bytes(bytes), index.describe());
  if (column.are_points()) fmt::print("columns: {}\n", fmt::join(column.part_names(), ", "));
  if (!index.included().empty())
    fmt::print("--values: {}\n", fmt::join(names_of(index.included()), ", "));
}

void require_csv_effect(const InfoOptions& options) {
  options.csv.require_effect();
  options.csv.require_columns("--csv-column", options.csv_columns);
}

void describe_file(const InfoOptions& options) {
  if (options.format.empty() && options.file.ends_with(".rtindex")) {
    require_csv_effect(options);
    return print_index(options);
  }
  const std::vector<ColumnInfo> columns = columns_of(options);
  const bool is_broken = options.csv.names_read->empty() && !columns.front().error.empty();
  if (!is_broken) require_csv_effect(options);
  if (!options.json) {
    // Where nothing can be read, scripts shall notice it.
    if (!columns.empty() && std::none_of(columns.begin(), columns.end(),
                                         [](const ColumnInfo& info) { return info.error.empty(); }))
      fail("{}", columns.front().error);
    return print_table(columns);
  }
  for (const ColumnInfo& info : columns) fmt::print("{}", json_line(options.file, info));
}

constexpr const char* info_examples = R"(Examples:
  rtindex info keys.rtindex
      The keys, the spec, the segments and the memory of a saved index.
  rtindex info orders.csv
      How each column is read: its type, how many fields are null, the least and the greatest.
      A column of numbers with other text in it is named, with the line.
  rtindex info orders.csv --csv-column zip --type zip:string --json
      One JSON object for each column, with its first ten rows.)";

}  // namespace

void add_info(CLI::App& app) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* verb = app.add_subcommand("info", "Describe an index file or the columns of a file.");
  verb->get_help_ptr()->description("Print this help");
  verb->add_option("file", options->file, "Index file of `rtindex build`, or a column file")
      ->required()
      ->type_name("FILE")
      ->group(input_group);
  verb->add_option("--format", options->format,
                   "npy, sosd32, sosd64 or csv, for an unknown extension")
      ->type_name("FORMAT")
      ->group(input_group);
  verb->add_option("--csv-column", options->csv_columns, "Column of a CSV file; unset: all")
      ->allow_extra_args(false)
      ->type_name("NAME")
      ->group(csv_group);
  options->csv.add_to(*verb);
  verb->add_flag("--json", options->json, "JSON lines instead of a table")->group(output_group);
  verb->footer(info_examples);
  verb->callback([options] { describe_file(*options); });
}

}  // namespace rtindex::cli
