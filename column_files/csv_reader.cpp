#include "column_files/csv_reader.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "column_files/text_column.hpp"

namespace rtindex {

namespace {

struct CsvField {
  std::string_view text;  // without the outer quotes; "" is not unescaped yet
  bool quoted = false;
  bool ends_record = false;
};

// Iterates over the fields of comma-separated text (RFC 4180). Lines end in LF or CR LF; a
// byte-order mark is skipped. Broken quoting is an Error that names `path` and the line.
class CsvScanner {
 public:
  CsvScanner(std::string_view text, const std::string& path);

  [[nodiscard]] bool at_end() const { return rest_.empty() && !field_due_; }
  // The line on which the next field starts, from 1.
  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] CsvField next();
  void skip_empty_lines();

 private:
  [[nodiscard]] CsvField next_plain();
  [[nodiscard]] CsvField next_quoted();

  std::string_view rest_;
  const std::string& path_;
  std::size_t line_ = 1;
  bool field_due_ = false;  // a comma was the last character: an empty field follows
};

CsvScanner::CsvScanner(std::string_view text, const std::string& path) : rest_(text), path_(path) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (rest_.starts_with(byte_order_mark)) rest_.remove_prefix(byte_order_mark.size());
  const std::size_t bare = rest_.find('\r');
  if (rest_.find_first_of("\n\"") == std::string_view::npos && bare < rest_.size() - 1)
    fail("{}: lines end in CR: expected LF or CR LF; convert them with tr '\\r' '\\n'", path);
}

void CsvScanner::skip_empty_lines() {
  for (; rest_.starts_with('\n') || rest_.starts_with("\r\n"); ++line_)
    rest_.remove_prefix(rest_.front() == '\n' ? 1 : 2);
}

CsvField CsvScanner::next() {
  field_due_ = false;
  return rest_.starts_with('"') ? next_quoted() : next_plain();
}

CsvField CsvScanner::next_plain() {
  std::size_t length = 0;
  while (length < rest_.size() && rest_[length] != ',' && rest_[length] != '\n') ++length;
  CsvField field{rest_.substr(0, length)};
  field_due_ = length < rest_.size() && rest_[length] == ',';
  field.ends_record = !field_due_;
  if (field.ends_record && field.text.ends_with('\r')) field.text.remove_suffix(1);
  if (field.ends_record && length < rest_.size()) ++line_;
  rest_.remove_prefix(std::min(length + 1, rest_.size()));
  return field;
}

CsvField CsvScanner::next_quoted() {
  const std::size_t first_line = line_;
  std::size_t close = 1;
  for (;; close += 2) {
    close = rest_.find('"', close);
    if (close == std::string_view::npos)
      fail("{}, line {}: unclosed quoted field: add the missing quote", path_, first_line);
    if (close + 1 == rest_.size() || rest_[close + 1] != '"') break;
  }
  CsvField field{rest_.substr(1, close - 1), true};
  line_ += static_cast<std::size_t>(std::count(field.text.begin(), field.text.end(), '\n'));
  rest_.remove_prefix(close + 1);
  if (rest_.starts_with("\r\n")) rest_.remove_prefix(1);
  if (!rest_.empty() && rest_.front() != ',' && rest_.front() != '\n')
    fail("{}, line {}: text after a closing quote: write a quote within a field twice (\"\")",
         path_, line_);
  field_due_ = rest_.starts_with(',');
  field.ends_record = !field_due_;
  if (rest_.starts_with('\n')) ++line_;
  if (!rest_.empty()) rest_.remove_prefix(1);
  return field;
}

std::string unquoted(const CsvField& field) {
  if (!field.quoted) return std::string(field.text);
  std::string text;
  for (std::size_t i = 0; i < field.text.size(); ++i) {
    text += field.text[i];
    if (field.text[i] == '"') ++i;
  }
  return text;
}

std::vector<std::string> read_header(CsvScanner& scanner, const std::string& path) {
  if (scanner.at_end()) fail("{} is empty: expected a CSV header with column names", path);
  std::vector<std::string> names;
  bool more = true;
  while (more) {
    const CsvField field = scanner.next();
    if (field.text.find('\0') != std::string_view::npos)
      fail("{} is not a CSV file (binary data in the header): pass the right --format", path);
    names.push_back(unquoted(field));
    more = !field.ends_record;
  }
  return names;
}

std::size_t find_column(const std::vector<std::string>& names, const CsvColumn& selection,
                        const std::string& path) {
  if (names.size() == 1 && (selection.name.empty() || selection.or_the_only_one)) return 0;
  if (selection.name.empty())
    fail("{} has {} columns: choose one of {} with {}", path, names.size(), fmt::join(names, ", "),
         selection.option);
  const auto found = std::find(names.begin(), names.end(), selection.name);
  if (found == names.end())
    fail("{} has no column '{}': choose one of {} with {}", path, selection.name,
         fmt::join(names, ", "), selection.option);
  if (std::find(found + 1, names.end(), selection.name) != names.end())
    fail("{} has two columns named '{}': rename one of them", path, selection.name);
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

LoadedColumn read_csv(const FileBytes& file, const CsvColumn& column, const LoadedColumn* like) {
  const std::string& path = file.path();
  CsvScanner scanner(file.text(), path);
  const std::vector<std::string> names = read_header(scanner, path);
  const std::size_t chosen = find_column(names, column, path);
  TextColumn text;
  for (;;) {
    // In a file of one column an empty line is a row, a null.
    if (names.size() > 1) scanner.skip_empty_lines();
    if (scanner.at_end()) break;
    const std::size_t line = scanner.line();
    std::size_t fields = 0;
    for (bool more = true; more; ++fields) {
      const CsvField field = scanner.next();
      more = !field.ends_record;
      if (fields != chosen) continue;
      if (field.quoted)
        text.add_quoted(field.text);
      else
        text.add(field.text);
    }
    if (fields != names.size())
      fail(
          "{}, line {}: expected {} fields as in the header, got {}; complete the line, or quote "
          "fields that contain commas",
          path, line, names.size(), fields);
  }
  return std::move(text).finish(path, like);
}

}  // namespace rtindex
