#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <rtindex/answer.hpp>
#include <rtindex/query.hpp>

#include "cli/csv_options.hpp"
#include "cli/loaded_query.hpp"
#include "cli/progress.hpp"
#include "column_files/column_file.hpp"

namespace rtindex::cli {

// The rows that queries may match.
class RowFilter {
 public:
  // `rows`: a column of bool or uint8.
  explicit RowFilter(const LoadedColumn& rows);
  [[nodiscard]] Query restricted(const Query& query) const {
    return query.with_filter({.bits = bits_.data(), .rows = rows_});
  }

 private:
  std::vector<std::uint8_t> bits_;
  std::size_t rows_;
};

// A column of intervals.
struct IntervalOptions {
  // Columns of the CSV file --column; without it, files.
  std::string start, end;
  std::vector<std::string> by;
  std::string ends;
  std::string
      key_unit;  // of keys with a time of day, in which dates are read; empty: there are none

  void add_to(CLI::App& verb);
  [[nodiscard]] bool has_value() const {
    return !start.empty() || !end.empty() || !by.empty() || !ends.empty();
  }
  // Throws unless start, end and ends are set.
  void require_complete() const;
};

// The common options of verbs that query an index.
struct BatchOptions {
  std::vector<std::string> columns;  // several: the parts of composite keys
  std::string values;                // a file, or a column by its name
  std::vector<std::string> include;  // likewise, of `build` and `update`
  std::string saved;                 // --load: an index file instead of the column
  std::string verify = "quick";      // of that file
  std::string filter;                // the file of a row mask
  std::string format;
  std::vector<std::string> csv_columns;
  CsvOptions csv;
  IntervalOptions intervals;
  bool as_points = false;  // the columns are those of points, not the parts of keys
  std::string values_csv_column;
  std::vector<std::string> include_csv_columns;
  std::string index = "auto";
  std::string answers = "any";  // separated by commas
  std::optional<std::uint32_t> limit;
  std::string order;        // of rows: "key", "-key" or empty
  std::string ends = "[]";  // of ranges
  std::string output, matched;
  std::string output_format;  // empty: by the extension of `output`
  bool quiet = false;
  bool describe = false;
  bool counters = false;

  // Declare the options; a verb adds its own lookups between input and output.
  void add_column_to(CLI::App& verb);
  void add_saved_to(CLI::App& verb);  // the column or a saved index
  void add_input_to(CLI::App& verb);  // and values, and a filter
  void add_values_to(CLI::App& verb);
  void add_filter_to(CLI::App& verb);
  void add_index_to(CLI::App& verb);  // the index to build
  void add_answers_to(CLI::App& verb);
  void add_files_to(CLI::App& verb, const std::string& output_description);
  void add_output_to(CLI::App& verb);  // the last three

  [[nodiscard]] AnswerSet answer_set() const;
  [[nodiscard]] RowOrder row_order() const;
  [[nodiscard]] Progress::Style progress_style() const {
    return quiet ? Progress::Style::silent : Progress::on_terminal_only();
  }
  // Whether --column is a CSV file, whose columns have names.
  [[nodiscard]] bool has_csv_columns() const;
  // The files of the column or of the saved index, and of the values.
  [[nodiscard]] std::vector<std::string> input_files() const;
  // The indexed column.
  [[nodiscard]] LoadedColumn load_column() const;
  // LoadedQuery from files, one for each part of composite keys; a CSV file may hold several parts.
  // `csv_option` names the columns `csv_names`; without names they are those of the column.
  [[nodiscard]] LoadedColumn load_lookups(const std::vector<std::string>& files,
                                          const std::vector<std::string>& csv_names,
                                          const std::string& csv_option,
                                          const LoadedColumn& like) const;
  // A file of elements of one column.
  [[nodiscard]] ColumnFile lookup_file(const std::string& path, const std::string& csv_name,
                                       const std::string& csv_option,
                                       const LoadedColumn& like) const;
  // The rows of --filter; nothing without it.
  [[nodiscard]] std::optional<RowFilter> load_filter() const;
  // Reads a file, with progress.
  [[nodiscard]] LoadedColumn read(const ColumnFile& file) const;
  // The format of files other than the column: by extension, then --format.
  [[nodiscard]] std::optional<FileFormat> format_of_file(const std::string& path) const;
  // Whether the answers include sum, mean, min or max.
  [[nodiscard]] bool wants_values() const;
  // Throws if options conflict.
  void validate() const;
  // Once all files were read: throws if an option about CSV files has no effect.
  void require_csv_effect() const;

 private:
  [[nodiscard]] LoadedColumn load_intervals() const;
};

// The file and the CSV column of one part of composite keys, or of one included column.
struct PartFile {
  std::string path, csv_name;
};
// One file for each part, or one CSV file with several columns.
[[nodiscard]] std::vector<PartFile> part_files(const std::vector<std::string>& files,
                                               const std::vector<std::string>& names,
                                               const std::string& csv_option);
// Its CSV column, or the file's name without its extension.
[[nodiscard]] std::string name_of_column(const PartFile& part);

// An option that names a file.
CLI::Option* add_file_option(CLI::App& verb, const std::string& name, std::string& path,
                             const std::string& description);
// A repeatable option that names files, for the parts of composite keys.
CLI::Option* add_files_option(CLI::App& verb, const std::string& name,
                              std::vector<std::string>& paths, const std::string& description);

// The headings of --help.
inline constexpr const char* input_group = "Input";
inline constexpr const char* csv_group = "CSV input";
inline constexpr const char* interval_group = "Intervals";
inline constexpr const char* index_group = "Index";
inline constexpr const char* neighbour_group = "Neighbours";
inline constexpr const char* output_group = "Output";

// The source of a verb's lookups.
struct LookupSource {
  std::vector<std::string> files;  // the input files
  bool has_value = false;          // whether there are lookups on the command line
  std::string how;                 // the options to pass if there are none
  bool of_points = false;          // whether they search points
  std::function<std::vector<LoadedQuery>(const LoadedColumn& column)> load;
};

// Runs a verb that answers lookups: loads, builds, answers, writes and prints the summary.
void run_batch(const BatchOptions& options, const LookupSource& source);

}  // namespace rtindex::cli
