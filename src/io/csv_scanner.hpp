#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rtindex {

struct CsvField {
  std::string_view text;  // of a quoted field what stands between the quotes, "" not yet undone
  bool quoted = false;
  bool ends_record = false;
};

// Walks over the fields of comma-separated text (RFC 4180). Lines end in LF or CR LF; a byte-order
// mark is skipped. Broken quoting is an Error that names `path` and the line.
class CsvScanner {
 public:
  CsvScanner(std::string_view text, const std::string& path);

  [[nodiscard]] bool at_end() const { return rest_.empty() && !field_due_; }
  // The line on which the next field starts, from 1.
  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] CsvField next();
  // Skips lines without a single character.
  void skip_empty_lines();

 private:
  [[nodiscard]] CsvField next_plain();
  [[nodiscard]] CsvField next_quoted();

  std::string_view rest_;
  const std::string& path_;
  std::size_t line_ = 1;
  bool field_due_ = false;  // a comma was the last character: an empty field follows
};

}  // namespace rtindex
