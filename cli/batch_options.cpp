#include "cli/batch.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/types.hpp"
#include "cli/loaded_query.hpp"
#include "cli/reading.hpp"
#include "cli/records.hpp"
#include "cli/suggestion.hpp"
#include "column_files/text_values.hpp"

namespace rtindex::cli {

namespace {

constexpr AnswerSet aggregates = Answer::sum | Answer::min | Answer::max | AnswerSet(Answer::mean);

bool names_stdout(const std::string& path) {
  return path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

std::string require_a_name(const std::string& text) {
  return text.empty() ? "expected a file name, got an empty text" : "";
}

// All but bitmaps of each lookup.
Answer printed_answer(std::string_view name) {
  if (name == name_of(Answer::bitmaps))
    fail("bitmaps of each lookup are for programs: pass --answer bitmap, the rows of all lookups");
  std::vector<std::string> names;
  for (const Answer answer : all_answers()) {
    if (answer == Answer::bitmaps) continue;
    if (name_of(answer) == name) return answer;
    names.emplace_back(name_of(answer));
  }
  const std::string meant = closest_word(name, names);
  fail("unknown --answer '{}': expected {}{}", name, fmt::join(names, ", "),
       meant.empty() ? "" : fmt::format("; did you mean {}?", meant));
}

LoadedColumn joined(std::vector<LoadedColumn> parts) {
  return parts.size() == 1 ? std::move(parts.front()) : LoadedColumn::composite(std::move(parts));
}

}  // namespace

std::vector<PartFile> part_files(const std::vector<std::string>& files,
                                 const std::vector<std::string>& names,
                                 const std::string& csv_option) {
  if (files.size() > 1 && names.size() > 1 && files.size() != names.size())
    fail("{} files and {} names with {}: expected one name per file", files.size(), names.size(),
         csv_option);
  std::vector<PartFile> parts(std::max(files.size(), names.size()));
  for (std::size_t part = 0; part < parts.size(); ++part) {
    parts[part].path = files.size() == 1 ? files.front() : files[part];
    if (!names.empty()) parts[part].csv_name = names.size() == 1 ? names.front() : names[part];
  }
  return parts;
}

std::string name_of_column(const PartFile& part) {
  if (!part.csv_name.empty() || part.path == standard_stream) return part.csv_name;
  return std::filesystem::path(part.path).stem().string();
}

CLI::Option* add_files_option(CLI::App& verb, const std::string& name,
                              std::vector<std::string>& paths, const std::string& description) {
  return verb.add_option(name, paths, description)
      ->type_name("FILE")
      ->check(require_a_name)
      ->group(input_group);
}

CLI::Option* add_file_option(CLI::App& verb, const std::string& name, std::string& path,
                             const std::string& description) {
  return verb.add_option(name, path, description)
      ->type_name("FILE")
      ->check(require_a_name)
      ->group(input_group);
}

RowFilter::RowFilter(const LoadedColumn& rows)
    : bits_(bitmap_bytes(rows.size())), rows_(rows.size()) {
  if ((rows.type() != Type::boolean && rows.type() != Type::u8) || rows.view().nullable())
    fail("{} holds {}: expected a filter of bool or uint8 in a .npy file, one for each row",
         rows.name(), rows.view().nullable() ? "nulls" : rows.type_text());
  const auto* const elements = static_cast<const std::uint8_t*>(rows.view().data());
  for (std::size_t row = 0; row < rows_; ++row)
    bits_[row / 8] =
        static_cast<std::uint8_t>(bits_[row / 8] | (elements[row] != 0 ? 1U : 0U) << (row % 8));
}

void IntervalOptions::add_to(CLI::App& verb) {
  verb.add_option("--start", start,
                  "The starts of intervals: a column of the CSV file --column,\n"
                  "or a file")
      ->type_name("NAME")
      ->group(interval_group);
  verb.add_option("--end", end, "The ends of intervals, likewise")
      ->type_name("NAME")
      ->group(interval_group);
  verb.add_option("--ends", ends,
                  "Which ends belong to intervals: \"[]\" (both), \"[)\", \"(]\"\n"
                  "or \"()\"; there is no default")
      ->type_name("ENDS")
      ->group(interval_group);
  verb.add_option("--by", by,
                  "A leading column, which must be equal: a room, a symbol;\n"
                  "repeatable. Queries have its values first: --key blue,10")
      ->allow_extra_args(false)
      ->type_name("NAME")
      ->group(interval_group);
}

void IntervalOptions::require_complete() const {
  if (start.empty() || end.empty())
    fail("missing {} of intervals: pass --start, --end and --ends",
         start.empty() ? "--start" : "--end");
  if (ends.empty())
    fail(
        "missing --ends: pass \"[)\" if an interval contains its start but not its end, \"[]\" if "
        "it "
        "contains both, or \"(]\" or \"()\"");
  static_cast<void>(ends_named(ends));
}

void BatchOptions::add_column_to(CLI::App& verb) {
  verb.get_help_ptr()->description("Print this help");
  add_files_option(verb, "--column", columns,
                   "File with the keys to index, one per row; repeat it for\n"
                   "the parts of composite keys. - is standard input");
  verb.add_option("--format", format,
                  "npy, sosd32, sosd64 or csv: the format of --column, and of\n"
                  "other files with an unknown extension")
      ->type_name("FORMAT")
      ->group(input_group);
  verb.add_option("--csv-column", csv_columns,
                  "Column of CSV files, by name; repeat it for the parts of\n"
                  "composite keys")
      ->type_name("NAME")
      ->group(csv_group);
  csv.add_to(verb);
}

void BatchOptions::add_saved_to(CLI::App& verb) {
  add_column_to(verb);
  add_file_option(verb, "--load", saved, "Index file of `rtindex build`, instead of --column")
      ->type_name("FILE.rtindex");
  verb.add_option("--verify", verify,
                  "quick or full: full compares every byte that is read of\n"
                  "--load with its checksum (quick)")
      ->type_name("HOW")
      ->group(input_group);
}

void BatchOptions::add_input_to(CLI::App& verb) {
  add_saved_to(verb);
  add_values_to(verb);
  add_filter_to(verb);
}

void BatchOptions::add_filter_to(CLI::App& verb) {
  add_file_option(verb, "--filter", filter,
                  "File with a bool for each row of the index, as --answer\n"
                  "bitmap -o writes it: only these rows may match")
      ->type_name("FILE.npy");
}

void BatchOptions::add_values_to(CLI::App& verb) {
  add_file_option(verb, "--values", values,
                  "The values of sum, mean, min and max: a column of the CSV\n"
                  "file --column, a column that the index of --load includes,\n"
                  "or a file with one value per row")
      ->type_name("NAME");
  verb.add_option("--values-csv-column", values_csv_column, "Column of --values, if it differs")
      ->type_name("NAME")
      ->group(csv_group);
}

void BatchOptions::add_index_to(CLI::App& verb) {
  verb.add_option("--index", index, "Index to build (auto); `rtindex indexes` explains specs")
      ->type_name("SPEC")
      ->group(index_group);
  verb.add_flag("--describe", describe,
                "Print the full spec, the memory and the reasons for defaults")
      ->group(index_group);
}

void BatchOptions::add_answers_to(CLI::App& verb) {
  verb.add_flag("--counters", counters,
                "Print the work of the lookups: rays, cells, keys tested\n"
                "and hits; rx only")
      ->group(index_group);
  verb.add_option("--answer", answers,
                  "any, first, last, count, sum, mean, min, max or rows\n"
                  "(any), and key of `rtindex nearest`; several separated\n"
                  "by commas. bitmap: for each row whether it matches any\n"
                  "lookup")
      ->type_name("ANSWER")
      ->join(',')
      ->group(output_group);
  verb.add_option("--limit", limit, "At most N rowIDs per lookup, for rows")
      ->type_name("N")
      ->group(output_group);
  verb.add_option("--order", order,
                  "Rows in the order of their keys: key ascending, -key\n"
                  "descending; with --limit the first N of them")
      ->type_name("ORDER")
      ->group(output_group);
}

void BatchOptions::add_files_to(CLI::App& verb, const std::string& output_description) {
  add_file_option(verb, "-o,--output", output, output_description)
      ->transform([](const std::string& path) { return names_stdout(path) ? "-" : path; })
      ->group(output_group);
  verb.add_option("--output-format", output_format,
                  "npy, csv or jsonl, for -o - (csv) and other extensions")
      ->type_name("FORMAT")
      ->group(output_group);
  verb.add_flag("-q,--quiet", quiet, "No summary, notes or progress on stderr")
      ->group(output_group);
}

void BatchOptions::add_output_to(CLI::App& verb) {
  add_index_to(verb);
  add_answers_to(verb);
  add_file_option(verb, "--matched", matched, "Also write which lookups matched, as bool")
      ->type_name("FILE.npy")
      ->group(output_group);
  add_files_to(verb,
               "Output of the answers: OUT.csv, OUT.jsonl (JSON lines), -\n"
               "(standard output) or OUT.npy; without it, a table on\n"
               "stdout. Several answers: OUT.sum.npy, OUT.count.npy, ...\n"
               "rows: OUT.offsets.npy and OUT.rows.npy");
}

RowOrder BatchOptions::row_order() const {
  if (order.empty()) return RowOrder::any;
  if (order == "key") return RowOrder::ascending;
  if (order == "-key") return RowOrder::descending;
  fail("invalid --order {}: expected key or -key", order);
}

std::vector<std::string> BatchOptions::input_files() const {
  std::vector<std::string> files = columns;
  if (columns.empty() && intervals.has_value()) {
    files = intervals.by;
    files.insert(files.end(), {intervals.start, intervals.end});
  }
  if (!saved.empty()) files.push_back(saved);
  if (!values.empty()) files.push_back(values);
  if (!filter.empty()) files.push_back(filter);
  files.insert(files.end(), include.begin(), include.end());
  return files;
}

AnswerSet BatchOptions::answer_set() const {
  AnswerSet set;
  std::string_view rest = answers;
  for (;;) {
    const std::size_t comma = rest.find(',');
    set = set | printed_answer(trimmed(rest.substr(0, comma)));
    if (comma == std::string_view::npos) return set;
    rest.remove_prefix(comma + 1);
  }
}

bool BatchOptions::wants_values() const { return answer_set().has_any_of(aggregates); }

void BatchOptions::validate() const {
  if (intervals.has_value() && saved.empty()) intervals.require_complete();
  if (intervals.has_value() && !saved.empty())
    fail("--start, --end, --by and --ends need --column: a saved index keeps its intervals");
  if (columns.empty() && saved.empty() && !intervals.has_value())
    fail("missing column: pass --column FILE, or --load FILE.rtindex for a saved index");
  if (!columns.empty() && !saved.empty())
    fail("conflicting --column and --load: pass a column or a saved index, not both");
  if (!saved.empty() && index != "auto")
    fail("--index needs --column: a saved index keeps the spec it was built with");
  if (verify != "quick" && verify != "full")
    fail("invalid --verify {}: expected quick or full", verify);
  if (saved.empty() && verify != "quick") fail("--verify needs --load: add it, or remove --verify");
  if (values.empty() && !values_csv_column.empty())
    fail("--values-csv-column needs --values FILE: add it, or remove the column");
  const AnswerSet set = answer_set();
  if (wants_values() && values.empty() && saved.empty())
    fail(
        "--answer sum, mean, min and max need --values FILE with one value per row, or --values "
        "NAME, a column of the CSV file --column");
  if (!wants_values() && !values.empty())
    fail("--values needs sum, mean, min or max: add one to --answer, or remove --values");
  if (set.has(Answer::bitmap) && set != Answer::bitmap &&
      cli::output_format(output, output_format) != OutputFormat::npy)
    fail(
        "--answer bitmap has a value for each row, other answers for each lookup: pass it alone, "
        "or write arrays with -o OUT.npy");
  if (limit && !set.has(Answer::rows))
    fail("--limit needs rows: add rows to --answer, or remove --limit");
  if (row_order() != RowOrder::any && !set.has(Answer::rows))
    fail("--order needs rows: add rows to --answer, or remove --order");
}

void BatchOptions::require_csv_effect() const {
  csv.require_effect();
  csv.require_columns("--csv-column", csv_columns);
  csv.require_columns("--values-csv-column", {values_csv_column});
  csv.require_columns("--include-csv-column", include_csv_columns);
}

// Both ends have the same type and unit: the ends are read like the starts, but dates that start
// intervals like the times that end them or that are looked up, as midnights.
LoadedColumn BatchOptions::load_intervals() const {
  intervals.require_complete();
  if (columns.size() > 1 || !csv_columns.empty())
    fail("--start and --end name the columns of one CSV file: remove the other names");
  const auto load_one = [&](const std::string& name, const char* option, const LoadedColumn* like) {
    ColumnFile file{.path = name, .csv_format = csv.format(), .like = like};
    if (!columns.empty()) {
      file.path = columns.front();
      file.csv_column = {.name = name, .option = option};
    }
    if (!format.empty()) file.format = file_format_named(format);
    const auto found = file.format ? file.format : file_format_of(file.path);
    if (!columns.empty() && !found)
      fail(
          "{}: unknown extension: pass --format csv for its columns {} and {}, with --delimiter "
          "tab if tabs separate them, and --no-header if there is no line of names",
          file.path, intervals.start, intervals.end);
    if (!columns.empty() && found != FileFormat::csv)
      fail(
          "{} is not a CSV file, so it has no columns {} and {}: pass --start FILE and --end FILE "
          "without --column",
          file.path, intervals.start, intervals.end);
    return read(file);
  };
  std::vector<LoadedColumn> parts;
  for (const std::string& name : intervals.by) parts.push_back(load_one(name, "--by", nullptr));
  LoadedColumn start = load_one(intervals.start, "--start", nullptr);
  const bool are_dates = start.type() == Type::timestamp64 && start.unit() == "D";
  LoadedColumn end = load_one(intervals.end, "--end", are_dates ? nullptr : &start);
  if (are_dates && end.type() != Type::timestamp64) {
    end = load_one(intervals.end, "--end", &start);
  } else if (are_dates && end.unit() != "D") {
    start = load_one(intervals.start, "--start", &end);
  } else if (are_dates && !intervals.key_unit.empty()) {
    LoadedColumn keys = LoadedColumn::indexed("--key", Type::timestamp64, 0);
    keys.set_unit(intervals.key_unit);
    start = load_one(intervals.start, "--start", &keys);
    end = load_one(intervals.end, "--end", &keys);
  }
  for (LoadedColumn* const part : {&start, &end}) {
    require_order_of_values(*part);
    parts.push_back(std::move(*part));
  }
  return LoadedColumn::intervals(std::move(parts), ends_named(intervals.ends));
}

LoadedColumn BatchOptions::load_column() const {
  if (intervals.has_value()) return load_intervals();
  std::vector<LoadedColumn> parts;
  std::vector<std::string> names;
  if (as_points && has_csv_columns() && csv_columns.empty())
    fail("missing columns of points: pass --csv-column for each, 2 to 8 of them");
  for (const PartFile& part : part_files(columns, csv_columns, "--csv-column")) {
    ColumnFile file{
        .path = part.path, .csv_column = {.name = part.csv_name}, .csv_format = csv.format()};
    if (as_points) file.csv_column.option = "--where";
    if (!format.empty()) file.format = file_format_named(format);
    parts.push_back(read(file));
    names.push_back(name_of_column(part));
  }
  if (as_points) return LoadedColumn::points_of(std::move(parts), std::move(names));
  return joined(std::move(parts));
}

LoadedColumn BatchOptions::load_lookups(const std::vector<std::string>& files,
                                        const std::vector<std::string>& csv_names,
                                        const std::string& csv_option,
                                        const LoadedColumn& like) const {
  const bool is_csv = format_of_file(files.front()) == FileFormat::csv;
  const auto& names =
      csv_names.empty() && is_csv && csv_columns.size() > 1 ? csv_columns : csv_names;
  std::vector<LoadedColumn> parts;
  for (const PartFile& part : part_files(files, names, csv_option)) {
    const bool is_part = parts.size() < like.parts().size();
    parts.push_back(read(lookup_file(part.path, part.csv_name, csv_option,
                                     is_part ? like.parts()[parts.size()] : like)));
  }
  // A single part is a prefix of composite keys.
  if (!like.parts().empty()) return LoadedColumn::composite(std::move(parts));
  return joined(std::move(parts));
}

bool BatchOptions::has_csv_columns() const {
  if (columns.empty()) return false;
  const FileFormat found = format.empty()
                               ? file_format_of(columns.front()).value_or(FileFormat::npy)
                               : file_format_named(format);
  return found == FileFormat::csv;
}

std::optional<FileFormat> BatchOptions::format_of_file(const std::string& path) const {
  const auto by_name = file_format_of(path);
  if (by_name || format.empty()) return by_name;
  return file_format_named(format);
}

std::optional<RowFilter> BatchOptions::load_filter() const {
  if (filter.empty()) return std::nullopt;
  return RowFilter(
      read({.path = filter, .format = format_of_file(filter), .csv_format = csv.format()}));
}

LoadedColumn BatchOptions::read(const ColumnFile& file) const {
  return read_column(file, progress_style());
}

ColumnFile BatchOptions::lookup_file(const std::string& path, const std::string& csv_name,
                                     const std::string& csv_option,
                                     const LoadedColumn& like) const {
  ColumnFile file{.path = path,
                  .format = format_of_file(path),
                  .csv_column = {.name = csv_name, .option = csv_option},
                  .csv_format = csv.format(),
                  .like = &like};
  if (csv_name.empty() && csv_columns.size() <= 1) {
    file.csv_column.name = csv_columns.empty() ? "" : csv_columns.front();
    file.csv_column.or_the_only_one = true;
  }
  return file;
}

}  // namespace rtindex::cli
