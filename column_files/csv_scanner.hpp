#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace rtindex {

inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

struct CsvField {
  std::string_view text;  // without the outer quotes; "" is not unescaped yet
  bool quoted = false;
  bool ends_record = false;

  [[nodiscard]] std::string unquoted() const;
};

// Iterates over the fields of delimited text (RFC 4180). Lines end in LF or CR LF; a byte-order
// mark is skipped. Broken quoting is an Error that names `path` and the line.
class CsvScanner {
 public:
  CsvScanner(std::string_view text, char delimiter, const std::string& path);

  [[nodiscard]] bool at_end() const { return rest_.empty() && !field_due_; }
  // The line on which the next field starts, from 1.
  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] std::size_t bytes_left() const { return rest_.size(); }
  [[nodiscard]] CsvField next();
  void skip_empty_lines();
  // Skips lines that start with one of these words.
  void skip_lines_that_start_with(std::initializer_list<std::string_view> words);
  // Reads the rest of a record; returns the number of its fields.
  std::size_t skip_record();

 private:
  [[nodiscard]] CsvField next_plain();
  [[nodiscard]] CsvField next_quoted();

  std::string_view rest_;
  char delimiter_;
  const std::string& path_;
  std::size_t line_ = 1;
  bool field_due_ = false;  // a delimiter was the last character: an empty field follows
};

}  // namespace rtindex
