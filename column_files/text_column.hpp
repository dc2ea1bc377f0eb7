#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "column_files/loaded_column.hpp"

namespace rtindex {

// How fields of text become a column.
struct TextReading {
  std::string name;    // of the file or the option, for messages
  std::string column;  // its name in the file, for messages
  // A column to compare with: the fields are read as its type where possible.
  const LoadedColumn* like = nullptr;
  // "int64" or another number, "date", "timestamp", "bool" or "string"; empty: inferred.
  std::string type;
  std::vector<std::string> nulls;  // texts that are null in columns of every type
  char decimal = '.';              // or ',': the point of numbers
  // Of a file: NULL, NA, N/A, null and NaN are null among numbers or times, and any other text
  // among them is an Error.
  bool from_file = false;
  // Where a row is in the file, such as ", line 7".
  std::function<std::string(std::size_t row)> where = [](std::size_t) { return std::string(); };
};

// Fields of text that become a column: int64, uint64, float64, timestamp64, bool or string, by all
// of the fields. Empty fields are nulls; in a column of strings a quoted empty field is an empty
// string. Dates (ISO 8601) count days. If one field has a time of day, all count microseconds, or
// nanoseconds if one needs them. A column of which half are numbers or times and others are not is
// an Error, and so is an integer that float64 would round: nothing is converted silently.
class TextColumn {
 public:
  void add(std::string_view field);
  // `inner`: the text between the quotes, with "" for each quote in it.
  void add_quoted(std::string_view inner);

  [[nodiscard]] std::size_t size() const { return offsets_.size() - 1; }
  [[nodiscard]] std::string_view field(std::size_t row) const;

  [[nodiscard]] LoadedColumn finish(const TextReading& reading) &&;

 private:
  // What the fields of a column are, nulls aside, and the first row of each.
  struct Census {
    std::size_t integers = 0, fractions = 0, times = 0, texts = 0, null_words = 0;
    std::size_t infinities = 0;  // of the fractions
    std::size_t first_fraction = 0, first_time = 0, first_number = 0, first_text = 0;
    std::string sample;  // the first text
    [[nodiscard]] std::size_t numbers() const { return integers + fractions; }
    [[nodiscard]] std::size_t all() const { return numbers() + times + texts; }
  };

  void close_field();
  // Makes decimal commas points. Numbers with points become texts, as "1.234" may mean 1234.
  void read_decimal_commas();
  // A field for messages.
  [[nodiscard]] std::string_view written(std::size_t row) const;
  [[nodiscard]] bool is_null(std::size_t row) const {
    return !valid_.empty() && ((valid_[row / 8] >> (row % 8)) & 1) == 0;
  }
  // Marks the nulls of a column of strings, or of one of numbers or times.
  void mark_nulls(const TextReading& reading, bool as_text);
  [[nodiscard]] Census census() const;

  template <class T, class Parse>
  [[nodiscard]] bool parse_all(const TextReading& reading, LoadedColumn& column, Type type,
                               Parse parse) const;
  template <class T>
  [[nodiscard]] bool parse_numbers(const TextReading& reading, LoadedColumn& column) const;
  template <class T>
  [[nodiscard]] bool parse_integers(const TextReading& reading, LoadedColumn& column) const;
  [[nodiscard]] bool parse_times(const TextReading& reading, LoadedColumn& column,
                                 std::string_view unit = "D") const;
  [[nodiscard]] bool parse_times_like(const TextReading& reading, LoadedColumn& column) const;
  [[nodiscard]] bool parse_floats_like(const TextReading& reading, LoadedColumn& column) const;
  [[nodiscard]] bool parse_like(const TextReading& reading, LoadedColumn& column);
  [[nodiscard]] LoadedColumn parse_as_type(const TextReading& reading);
  [[nodiscard]] LoadedColumn inferred(const TextReading& reading);
  [[nodiscard]] LoadedColumn strings(const TextReading& reading);

  void require_one_kind(const Census& fields, const TextReading& reading) const;
  void require_all_bools(const Census& fields, const TextReading& reading) const;
  void require_integers_that_fit(const TextReading& reading) const;
  void require_infinity(std::size_t row, Type type, const TextReading& reading) const;
  void require_exact_integers(const Census& census, const TextReading& reading) const;
  template <class Float>
  [[nodiscard]] std::size_t first_inexact() const;
  void require_ticks_of_like(const TextReading& reading) const;
  // Notes for the summary.
  [[nodiscard]] std::string remark_on_values(const TextReading& reading) const;
  [[nodiscard]] static std::string remark_on_strings(const Census& fields,
                                                     const TextReading& reading);

  std::vector<char> bytes_;
  std::vector<char> written_;  // as in the file, if read_decimal_commas() has changed it
  std::vector<std::int64_t> offsets_ = {0};
  std::vector<std::size_t> quoted_empty_rows_;
  std::vector<std::uint8_t> valid_;  // Arrow's bitmap; empty: no nulls
};

}  // namespace rtindex
