#include "io/csv_reader.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "io/csv_scanner.hpp"
#include "io/text_column.hpp"

namespace rtindex {

namespace {

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
  if (scanner.at_end()) fail("{} is empty: a CSV file starts with a line of column names", path);
  std::vector<std::string> names;
  bool more = true;
  while (more) {
    const CsvField field = scanner.next();
    if (field.text.find('\0') != std::string_view::npos)
      fail("{} is no CSV file (its first line holds binary data): pass the right --format", path);
    names.push_back(unquoted(field));
    more = !field.ends_record;
  }
  return names;
}

std::size_t find_column(const std::vector<std::string>& names, const CsvColumn& wanted,
                        const std::string& path) {
  if (names.size() == 1 && (wanted.name.empty() || wanted.or_the_only_one)) return 0;
  if (wanted.name.empty())
    fail("{} has {} columns: choose one of {} with {}", path, names.size(), fmt::join(names, ", "),
         wanted.option);
  const auto found = std::find(names.begin(), names.end(), wanted.name);
  if (found == names.end())
    fail("{} has no column '{}': choose one of {} with {}", path, wanted.name,
         fmt::join(names, ", "), wanted.option);
  if (std::find(found + 1, names.end(), wanted.name) != names.end())
    fail("{} has two columns named '{}': rename one of them", path, wanted.name);
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

LoadedColumn read_csv(const std::string& path, const CsvColumn& column, const LoadedColumn* like) {
  const FileBytes file(path);
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
          "{}, line {}: {} fields, but the header names {} columns; complete the line, or quote "
          "fields that hold commas",
          path, line, fields, names.size());
  }
  return std::move(text).finish(path, like);
}

}  // namespace rtindex
