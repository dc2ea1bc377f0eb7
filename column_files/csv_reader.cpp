#include "column_files/csv_reader.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "column_files/csv_scanner.hpp"
#include "column_files/read_progress.hpp"
#include "column_files/text_column.hpp"
#include "column_files/text_encoding.hpp"
#include "column_files/text_values.hpp"

namespace rtindex {

namespace {

bool is_number_or_time(std::string_view text) {
  return parse_number<double>(text).has_value() || parse_iso_time(text).has_value();
}

// The delimiter that a first line names, such as "sep=;".
std::optional<char> named_delimiter(std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  if (line.size() != 5 || !line.starts_with("sep=") || line.back() == '"') return std::nullopt;
  return line.back();
}

// Latin-1 whose special characters all form UTF-8 does not occur.
void require_latin1(std::string_view text, const std::string& path) {
  const bool is_ascii =
      std::none_of(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; });
  if (!is_ascii && !first_invalid_utf8(text))
    fail(
        "{} is UTF-8, but --encoding latin-1 holds for all files of the call: remove it, or "
        "convert the files that are Latin-1, such as with iconv -f latin1 -t utf-8",
        path);
}

// The text of a CSV file, and where things are in it.
class CsvText {
 public:
  CsvText(const FileBytes& file, const CsvFormat& format)
      : path_(file.path()), text_(file.text()), has_header_(format.header == true) {
    require_uncompressed(file);
    if (format.encoding == "latin-1") require_latin1(text_, path_);
    const bool is_utf16 = has_utf16_mark(text_) && format.encoding == "utf-8";
    if (format.encoding != "utf-8" || is_utf16) {
      decoded_ = decoded(text_, is_utf16 ? "utf-16" : format.encoding);
      text_ = decoded_;
    }
    const std::optional<char> named = named_delimiter(text_);
    has_delimiter_line_ = named.has_value();
    if (format.delimiter)
      delimiter_ = *format.delimiter;
    else if (named)
      delimiter_ = *named;
    else if (path_.ends_with(".tsv") || is_bed())
      delimiter_ = '\t';
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] char delimiter() const { return delimiter_; }
  [[nodiscard]] bool is_bed() const { return path_.ends_with(".bed"); }
  [[nodiscard]] CsvScanner scanner() const {
    CsvScanner scanner(text_, delimiter_, path_);
    if (has_delimiter_line_) scanner.skip_record();
    // Lines for a genome browser, and comments. A header may look like a comment.
    if (is_bed() && has_header_)
      scanner.skip_lines_that_start_with({"track ", "browser "});
    else if (is_bed())
      scanner.skip_lines_that_start_with({"#", "track ", "browser "});
    return scanner;
  }

  // Whether the file or the call names the delimiter.
  [[nodiscard]] bool has_known_delimiter(const CsvFormat& format) const {
    return format.delimiter || has_delimiter_line_;
  }

  // Names the line and the column of the first byte of a field that is no text.
  void require_text(const CsvField& field) const {
    auto invalid = first_invalid_utf8(field.text);
    const std::size_t null = field.text.find('\0');
    if (!invalid && null != std::string_view::npos) invalid = null;
    if (!invalid) return;
    const auto at = static_cast<std::size_t>(field.text.data() - text_.data()) + *invalid;
    const std::string_view before = text_.substr(0, at);
    const std::size_t line_start = before.rfind('\n') + 1;  // 0 without a line break
    const bool is_null = text_[at] == '\0';
    fail("{}, line {}, column {}: byte 0x{:02x} is not {}", path_,
         std::count(before.begin(), before.end(), '\n') + 1, at - line_start + 1,
         static_cast<unsigned char>(text_[at]),
         is_null ? "text: correct the file, or pass --encoding utf-16 if it is UTF-16"
                 : "UTF-8: convert the file, or pass --encoding latin-1 if it is Latin-1");
  }

 private:
  std::string path_;
  std::string decoded_;
  std::string_view text_;
  char delimiter_ = ',';
  bool has_delimiter_line_ = false;
  bool has_header_;
};

std::vector<std::string> read_names(CsvScanner& scanner, const CsvText& text) {
  if (scanner.at_end()) fail("{} is empty: expected a CSV header with column names", text.path());
  std::vector<std::string> names;
  bool more = true;
  while (more) {
    const CsvField field = scanner.next();
    if (field.text.find('\0') != std::string_view::npos)
      fail(
          "{} is not a CSV file (binary data in the header): pass the right --format, or "
          "--encoding "
          "utf-16",
          text.path());
    text.require_text(field);
    names.push_back(field.unquoted());
    more = !field.ends_record;
  }
  return names;
}

void require_header(const std::vector<std::string>& names, const std::string& path) {
  const bool is_data = std::all_of(names.begin(), names.end(),
                                   [](const std::string& name) {
                                     return trimmed(name).empty() || is_number_or_time(name);
                                   }) &&
                       std::any_of(names.begin(), names.end(), is_number_or_time);
  if (is_data)
    fail("{} has no header: its first line is {}; pass --no-header, or --header if these are names",
         path, fmt::join(names, ","));
}

// A file with another delimiter looks like one column.
void require_delimiter(const std::vector<std::string>& names, const std::string& path) {
  if (names.size() != 1) return;
  for (const auto& [delimiter, option] : {std::pair{';', ";"}, {'\t', "tab"}, {'|', "|"}})
    if (names.front().find(delimiter) != std::string::npos)
      fail("{} has one column, '{}': pass --delimiter '{}', or --delimiter , if that is its name",
           path, names.front(), option);
}

std::vector<std::string> read_header_line(CsvScanner& scanner, const CsvText& text,
                                          const CsvFormat& format) {
  CsvScanner first = scanner;
  std::vector<std::string> names = read_names(first, text);
  if (!text.has_known_delimiter(format)) require_delimiter(names, text.path());
  if (format.header == false || (!format.header && text.is_bed())) {
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = fmt::format("{}", i + 1);
    return names;
  }
  if (names.size() == 1 && trimmed(names.front()).empty())
    fail("{} has an empty first line: expected a CSV header with column names", text.path());
  if (!format.header) require_header(names, text.path());
  scanner.skip_record();
  return names;
}

std::vector<std::string> read_header(CsvScanner& scanner, const CsvText& text,
                                     const CsvFormat& format) {
  std::vector<std::string> names = read_header_line(scanner, text, format);
  if (format.names_read) format.names_read->insert(names.begin(), names.end());
  return names;
}

std::size_t find_column(const std::vector<std::string>& names, const CsvColumn& selection,
                        const CsvFormat& format, const std::string& path) {
  if (names.size() == 1 && (selection.name.empty() || selection.or_the_only_one)) return 0;
  const bool doubtful =
      !format.header && std::any_of(names.begin(), names.end(), is_number_or_time);
  const char* advice = doubtful ? "; pass --no-header if the first line is data" : "";
  if (selection.name.empty())
    fail("{} has {} columns: choose one of {} with {}{}", path, names.size(),
         fmt::join(names, ", "), selection.option, advice);
  const auto found = std::find(names.begin(), names.end(), selection.name);
  if (found == names.end())
    fail("{} has no column '{}': choose one of {} with {}{}", path, selection.name,
         fmt::join(names, ", "), selection.option, advice);
  if (std::find(found + 1, names.end(), selection.name) != names.end())
    fail("{} has two columns named '{}': rename one of them", path, selection.name);
  return static_cast<std::size_t>(found - names.begin());
}

// In a file of one column an empty line is a row, a null.
bool has_record(CsvScanner& scanner, std::size_t columns) {
  if (columns > 1) scanner.skip_empty_lines();
  return !scanner.at_end();
}

void read_record(CsvScanner& scanner, const CsvText& text, std::size_t columns, std::size_t chosen,
                 TextColumn& column) {
  const std::size_t line = scanner.line();
  std::size_t fields = 0;
  bool ends_with_delimiter = false;
  for (bool more = true; more; ++fields) {
    const CsvField field = scanner.next();
    more = !field.ends_record;
    ends_with_delimiter = fields != 0 && field.text.empty() && !field.quoted;
    if (fields != chosen) continue;
    text.require_text(field);
    if (field.quoted)
      column.add_quoted(field.text);
    else
      column.add(field.text);
  }
  if (fields == columns + 1 && ends_with_delimiter)
    fail("{}, line {}: ends with '{}', and the first line does not: remove it, or add one there",
         text.path(), line, text.delimiter());
  if (fields != columns)
    fail(
        "{}, line {}: expected {} fields as in the first line, got {}; complete the line, or quote "
        "fields that contain '{}'",
        text.path(), line, columns, fields, text.delimiter());
}

}  // namespace

void require_uncompressed(const FileBytes& file) {
  const std::string_view bytes = file.text();
  if (bytes.starts_with("\x1f\x8b"))
    fail("{} is compressed with gzip: decompress it first, such as with gunzip -k", file.path());
  if (bytes.starts_with("PAR1") && bytes.ends_with("PAR1"))
    fail(
        "{} is a Parquet file, which this command does not read: convert it, such as with duckdb "
        "-c \"COPY (FROM 'in.parquet') TO 'out.csv'\"",
        file.path());
}

std::vector<std::string> csv_names(const FileBytes& file, const CsvFormat& format) {
  const CsvText text(file, format);
  CsvScanner scanner = text.scanner();
  return read_header(scanner, text, format);
}

namespace {

LoadedColumn read_column(const FileBytes& file, const CsvColumn& column, const LoadedColumn* like,
                         const CsvFormat& format) {
  const CsvText text(file, format);
  CsvScanner scanner = text.scanner();
  const std::vector<std::string> names = read_header(scanner, text, format);
  const std::size_t chosen = find_column(names, column, format, text.path());
  const CsvScanner records = scanner;
  TextColumn fields;
  {
    const ProgressStage stage(0.6, 1.0);  // the rest is the time to parse the fields
    const std::size_t bytes = records.bytes_left();
    ReadProgress progress(bytes);
    while (has_record(scanner, names.size())) {
      read_record(scanner, text, names.size(), chosen, fields);
      progress.reach(bytes - scanner.bytes_left());
    }
  }

  TextReading reading{.name = text.path(), .column = names[chosen], .like = like};
  reading.from_file = true;
  reading.nulls = format.nulls;
  reading.decimal = format.decimal;
  if (const auto type = format.types.find(names[chosen]); type != format.types.end())
    reading.type = type->second;
  // Rows may span several lines; few columns need the line of a row.
  reading.where = [&](std::size_t row) {
    CsvScanner again = records;
    for (std::size_t i = 0; has_record(again, names.size()) && i < row; ++i) again.skip_record();
    return fmt::format(", line {}", again.line());
  };
  return std::move(fields).finish(reading);
}

}  // namespace

LoadedColumn read_csv(const FileBytes& file, const CsvColumn& column, const LoadedColumn* like,
                      const CsvFormat& format) {
  return run_call("reading a CSV file", [&] { return read_column(file, column, like, format); });
}

}  // namespace rtindex
