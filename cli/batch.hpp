#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <rtindex/answer.hpp>

#include "cli/lookups.hpp"
#include "io/column_file.hpp"

namespace rtindex::cli {

// The common options of `lookup` and `range`.
struct BatchOptions {
  std::string column, values;
  std::string saved;             // --load: an index file instead of the column
  std::string verify = "quick";  // of that file
  std::string format;
  std::string csv_column, values_csv_column;
  std::string values_csv_option = "--values-csv-column";  // its name in messages
  std::string index = "auto";
  std::string answers = "any";  // separated by commas
  std::optional<std::uint32_t> limit;
  std::string output, matched;
  bool quiet = false;
  bool describe = false;
  bool counters = false;

  // Declare the options; a verb adds its own lookups between input and output.
  void add_column_to(CLI::App& verb);
  void add_input_to(CLI::App& verb);
  void add_output_to(CLI::App& verb);

  [[nodiscard]] AnswerSet answer_set() const;
  // The indexed column, and a file of lookups with the option that names its column.
  [[nodiscard]] ColumnFile column_file() const;
  [[nodiscard]] ColumnFile lookup_file(const std::string& path, const std::string& csv_name,
                                       const std::string& csv_option,
                                       const LoadedColumn& like) const;
  // The values, one per row of the column; empty without --values.
  [[nodiscard]] LoadedColumn load_values(const LoadedColumn& of_column) const;
  // Whether the answers include sum, min or max.
  [[nodiscard]] bool wants_values() const;
  // Conflicting options are an Error.
  void validate() const;

 private:
  [[nodiscard]] ColumnFile values_file() const;
};

// An option that names a file.
CLI::Option* add_file_option(CLI::App& verb, const std::string& name, std::string& path,
                             const std::string& description);

// The headings of --help.
inline constexpr const char* input_group = "Input";
inline constexpr const char* csv_group = "CSV input";
inline constexpr const char* index_group = "Index";
inline constexpr const char* output_group = "Output";

// The source of a verb's lookups.
struct LookupSource {
  std::vector<std::string> files;  // the input files
  bool given = false;              // whether there are lookups on the command line
  std::string how;                 // the options to pass if not
  std::function<Lookups(const LoadedColumn& column)> load;
};

// Runs `lookup` or `range`: loads, builds, answers, writes and prints the summary.
void run_batch(const BatchOptions& options, const LookupSource& source);

}  // namespace rtindex::cli
