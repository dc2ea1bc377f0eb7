#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "column_files/loaded_column.hpp"

namespace rtindex {

// Fields of text that become a column. Its type is the first of int64, uint64, float64, timestamp64
// and string that holds every field. Empty fields are nulls; in a column of strings a quoted empty
// field is an empty string. Dates (ISO 8601) count days. If one field has a time of day, all count
// microseconds, or nanoseconds if one needs them.
class TextColumn {
 public:
  void add(std::string_view field);
  // `inner`: the text between the quotes, with "" for each quote in it.
  void add_quoted(std::string_view inner);

  [[nodiscard]] std::size_t size() const { return offsets_.size() - 1; }
  [[nodiscard]] std::string_view field(std::size_t row) const;

  // `name`: the column's name in messages. `like`: a column to compare with; the fields are read as
  // its type where possible.
  [[nodiscard]] LoadedColumn finish(std::string name, const LoadedColumn* like = nullptr) &&;

 private:
  void close_field();
  template <class T, class Parse>
  [[nodiscard]] bool parse_all(std::string& name, LoadedColumn& column, Type type, Parse parse);
  template <class T>
  [[nodiscard]] bool parse_numbers(std::string& name, LoadedColumn& column);
  [[nodiscard]] bool parse_times(std::string& name, LoadedColumn& column);
  [[nodiscard]] bool parse_times_like(std::string& name, LoadedColumn& column,
                                      const LoadedColumn& like);
  void require_integers_that_fit(const std::string& name) const;
  template <class Float>
  [[nodiscard]] std::size_t first_inexact() const;
  bool parse_floats_like(std::string& name, LoadedColumn& column, const LoadedColumn& like);
  // Names the first field that is not a time, in a column that starts with times; empty: none.
  [[nodiscard]] std::string odd_time() const;
  void require_ticks_of(const LoadedColumn& like, const std::string& name) const;
  // A clear bit for every row in `nulls`; empty if there is none.
  [[nodiscard]] std::vector<std::uint8_t> validity(bool quoted_empty_is_null) const;

  std::vector<char> bytes_;
  std::vector<std::int64_t> offsets_ = {0};
  std::vector<std::size_t> empty_rows_;
  std::vector<std::size_t> quoted_empty_rows_;
};

}  // namespace rtindex
