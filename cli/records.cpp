#include "cli/records.hpp"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <span>
#include <utility>

#include <rtindex/answer.hpp>

#include "base/error.hpp"
#include "base/types.hpp"
#include "cli/json_text.hpp"

namespace rtindex::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_rows_shown = 12;
constexpr std::size_t max_table_rows = 1000;
constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

std::string csv_text(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_of(",\"\r\n") == std::string::npos &&
                     text.front() != ' ' && text.back() != ' ';
  if (plain) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string csv_cell(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::null: return "";
    case Cell::Kind::number: return cell.text;
    case Cell::Kind::text: return csv_text(cell.text);
    case Cell::Kind::rows: break;
  }
  return fmt::format("{}", fmt::join(cell.rows, " "));
}

// JSON has no infinities and no NaN; null is a miss.
std::string json_number(const std::string& text) {
  if (text.find_first_of("in") == std::string::npos) return text;
  return text == "inf" ? "\"Infinity\"" : text == "-inf" ? "\"-Infinity\"" : "\"NaN\"";
}

std::string json_cell(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::null: return "null";
    case Cell::Kind::number: return json_number(cell.text);
    case Cell::Kind::text: return json_text(cell.text);
    case Cell::Kind::rows: break;
  }
  return fmt::format("[{}]", fmt::join(cell.rows, ", "));
}

// A line break within a text would break the table.
std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return text;
}

std::string table_cell(const Cell& cell) {
  if (!cell.shown.empty()) return one_line(cell.shown);
  if (cell.kind == Cell::Kind::null) return "-";
  if (cell.kind != Cell::Kind::rows) return one_line(cell.text);
  if (cell.rows.size() <= max_rows_shown) return fmt::format("{}", fmt::join(cell.rows, " "));
  const auto some = std::span(cell.rows).first(max_rows_shown);
  return fmt::format("{} and {} more", fmt::join(some, " "), cell.rows.size() - max_rows_shown);
}

}  // namespace

Cell Cell::row(std::uint32_t row) {
  return row == miss_row ? Cell{} : number(fmt::format("{}", row));
}

OutputFormat output_format(const std::string& path, const std::string& name) {
  if (path.empty() && name.empty()) return OutputFormat::table;
  if (path.empty()) fail("--output-format needs -o: pass -o - for standard output, or -o FILE");
  const std::string extension = fs::path(path).extension().string();
  std::string wanted = name;
  if (name.empty())
    wanted = path == standard_stream ? "csv" : extension.empty() ? "" : extension.substr(1);
  if (wanted == "npy") return OutputFormat::npy;
  if (wanted == "csv") return OutputFormat::csv;
  if (wanted == "jsonl" || wanted == "ndjson") return OutputFormat::jsonl;
  if (wanted == "parquet" || wanted == "arrow" || wanted == "feather")
    fail(
        "{}: this command is built without a library that writes {}: write .csv, and convert it, "
        "for instance with DuckDB: COPY (FROM 'out.csv') TO 'out.parquet'",
        path, wanted);
  if (!name.empty()) fail("invalid --output-format {}: expected npy, csv or jsonl", name);
  fail(
      "invalid -o {}: expected a name that ends in .npy, .csv or .jsonl, or - with --output-format",
      path);
}

void require_output(const std::string& path, const std::vector<std::string>& inputs) {
  if (is_output_stream(path)) return;
  AtomicFile::require_writable(path);
  for (const std::string& input : inputs) {
    std::error_code error;
    if (fs::equivalent(path, input, error) && !error)
      fail("{} is also an input file: pass another output file", path);
  }
}

void append_cells(std::vector<Cell>& cells, const LoadedColumn& column, std::size_t element,
                  const std::string& written) {
  if (!column.parts().empty()) {
    for (const LoadedColumn& part : column.parts()) append_cells(cells, part, element);
    return;
  }
  Cell cell;
  if (element < column.size() && column.view().valid(element)) {
    cell.text = column.plain_text(element);
    const bool is_number = is_integer(column.type()) || is_float(column.type());
    cell.kind = is_number ? Cell::Kind::number : Cell::Kind::text;
  }
  cell.shown = written;
  cells.push_back(std::move(cell));
}

void append_names(std::vector<std::string>& names, const std::string& name,
                  const LoadedColumn& column) {
  if (column.parts().empty()) return names.push_back(name);
  for (std::size_t part = 1; part <= column.parts().size(); ++part)
    names.push_back(fmt::format("{}{}", name, part));
}

RecordWriter::RecordWriter(OutputFormat format, const std::string& path,
                           std::vector<std::string> header)
    : format_(format), header_(std::move(header)) {
  if (format == OutputFormat::table) {
    table_.emplace(header_);
    return;
  }
  if (is_output_stream(path))
    stream_.emplace(path);
  else
    file_.emplace(path);
  if (format != OutputFormat::csv) return;
  for (const std::string& name : header_) buffer_ += (buffer_.empty() ? "" : ",") + csv_text(name);
  buffer_ += '\n';
}

void RecordWriter::write(const std::vector<Cell>& cells) {
  if (table_) {
    std::vector<std::string> texts;
    texts.reserve(cells.size());
    for (const Cell& cell : cells) texts.push_back(table_cell(cell));
    table_->add(std::move(texts));
    return;
  }
  const bool csv = format_ == OutputFormat::csv;
  for (std::size_t i = 0; i < std::min(cells.size(), header_.size()); ++i) {
    if (!csv) buffer_ += (i == 0 ? "{" : ", ") + json_text(header_[i]) + ": " + json_cell(cells[i]);
    if (csv) buffer_ += (i == 0 ? "" : ",") + csv_cell(cells[i]);
  }
  // The line of a single null would be empty, which other readers skip.
  if (csv && cells.size() == 1 && cells.front().kind == Cell::Kind::null) buffer_ += "\"\"";
  buffer_ += csv ? "\n" : "}\n";
  if (buffer_.size() >= buffer_bytes) flush();
}

void RecordWriter::flush() {
  const auto bytes = std::as_bytes(std::span(buffer_));
  if (file_)
    file_->append(bytes);
  else
    stream_->append(bytes);
  buffer_.clear();
}

void RecordWriter::commit() {
  if (table_) return fmt::print("{}", table_->text());
  flush();
  if (file_)
    file_->commit();
  else
    stream_->commit();
}

void require_short_table(OutputFormat format, std::size_t rows) {
  if (format == OutputFormat::table && rows > max_table_rows && isatty(STDOUT_FILENO) != 0)
    fail("{} rows: expected at most {} for a table; pass -o OUT.csv or -o OUT.npy to write a file",
         rows, max_table_rows);
}

}  // namespace rtindex::cli
