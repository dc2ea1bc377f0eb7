#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/table.hpp"
#include "column_files/loaded_column.hpp"
#include "column_files/output_stream.hpp"
#include "file/atomic_file.hpp"

namespace rtindex::cli {

// A value of an output record.
struct Cell {
  enum class Kind : std::uint8_t { null, number, text, rows };

  Kind kind = Kind::null;
  std::string text;
  std::vector<std::uint32_t> rows;
  std::string shown;  // in tables, where it differs

  static Cell number(std::string text) { return {.kind = Kind::number, .text = std::move(text)}; }
  static Cell words(std::string text) { return {.kind = Kind::text, .text = std::move(text)}; }
  // Without quotes in JSON.
  static Cell boolean(bool value) { return number(value ? "true" : "false"); }
  // A rowID, null for a miss.
  static Cell row(std::uint32_t row);
};

enum class OutputFormat : std::uint8_t { table, npy, csv, jsonl };

// Standard input or output in place of a file.
inline constexpr std::string_view standard_stream = "-";

// The format of an output: `name` (npy, csv or jsonl) or else by the extension of the file; csv for
// standard output, a table without a file.
[[nodiscard]] OutputFormat output_format(const std::string& path, const std::string& name);

// Throws if an output cannot be written or is one of `inputs`.
void require_output(const std::string& path, const std::vector<std::string>& inputs);

// The cells of an element: one for each part of a composite key, null without an element.
// `written`: the text on the command line, for tables; empty: none.
void append_cells(std::vector<Cell>& cells, const LoadedColumn& column, std::size_t element,
                  const std::string& written = "");
// The names of these cells: "key", or "key1", "key2", ...
void append_names(std::vector<std::string>& names, const std::string& name,
                  const LoadedColumn& column);

// Writes records as CSV or JSON lines to a file, which appears on `commit`, or to a stream; or
// prints a table of them.
class RecordWriter {
 public:
  RecordWriter(OutputFormat format, const std::string& path, std::vector<std::string> header);

  void write(const std::vector<Cell>& cells);
  void commit();

 private:
  void flush();

  OutputFormat format_;
  std::optional<AtomicFile> file_;
  std::optional<OutputStream> stream_;
  std::vector<std::string> header_;
  std::optional<Table> table_;
  std::string buffer_;
};

// Throws if a table for a terminal has more rows than anybody reads.
void require_short_table(OutputFormat format, std::size_t rows);

}  // namespace rtindex::cli
