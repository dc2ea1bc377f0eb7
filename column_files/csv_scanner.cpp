#include "column_files/csv_scanner.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace rtindex {

std::string CsvField::unquoted() const {
  if (!quoted) return std::string(text);
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    plain += text[i];
    if (text[i] == '"') ++i;
  }
  return plain;
}

CsvScanner::CsvScanner(std::string_view text, char delimiter, const std::string& path)
    : rest_(text), delimiter_(delimiter), path_(path) {
  if (rest_.starts_with(byte_order_mark)) rest_.remove_prefix(byte_order_mark.size());
  const std::size_t bare = rest_.find('\r');
  if (rest_.find_first_of("\n\"") == std::string_view::npos && bare < rest_.size() - 1)
    fail("{}: lines end in CR: expected LF or CR LF; convert them with tr '\\r' '\\n'", path);
}

void CsvScanner::skip_empty_lines() {
  for (; rest_.starts_with('\n') || rest_.starts_with("\r\n"); ++line_)
    rest_.remove_prefix(rest_.front() == '\n' ? 1 : 2);
}

void CsvScanner::skip_lines_that_start_with(std::initializer_list<std::string_view> words) {
  while (
      std::ranges::any_of(words, [&](std::string_view word) { return rest_.starts_with(word); })) {
    rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size() - 1) + 1);
    ++line_;
  }
}

CsvField CsvScanner::next() {
  field_due_ = false;
  return rest_.starts_with('"') ? next_quoted() : next_plain();
}

CsvField CsvScanner::next_plain() {
  std::size_t length = 0;
  while (length < rest_.size() && rest_[length] != delimiter_ && rest_[length] != '\n') ++length;
  CsvField field{rest_.substr(0, length)};
  field_due_ = length < rest_.size() && rest_[length] == delimiter_;
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
  if (!rest_.empty() && rest_.front() != delimiter_ && rest_.front() != '\n') {
    if (rest_.front() == ';' || rest_.front() == '\t')
      fail("{}, line {}: {} after a closing quote: pass --delimiter {} if it separates fields",
           path_, line_, rest_.front() == ';' ? "a semicolon" : "a tab",
           rest_.front() == ';' ? "';'" : "tab");
    fail("{}, line {}: text after a closing quote: write a quote within a field twice (\"\")",
         path_, line_);
  }
  field_due_ = rest_.starts_with(delimiter_);
  field.ends_record = !field_due_;
  if (rest_.starts_with('\n')) ++line_;
  if (!rest_.empty()) rest_.remove_prefix(1);
  return field;
}

std::size_t CsvScanner::skip_record() {
  std::size_t fields = 1;
  while (!next().ends_record) ++fields;
  return fields;
}

}  // namespace rtindex
