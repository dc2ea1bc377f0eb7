#pragma once

/// \file
/// The key arguments of a call as columns.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <rtindex/column.hpp>

#include "api.hpp"
#include "conversion.hpp"
#include "key_types.hpp"

namespace rtindex::sql {

/// The rows 0 to count - 1 of a chunk, valid until the next call of this thread.
[[nodiscard]] std::span<const idx_t> all_rows(idx_t count);

/// The text that is the same in these rows of a vector, of which there is at least one: the name of
/// an index, or an option. Throws `Error` if it is NULL or differs; `what` names it.
[[nodiscard]] std::string_view constant_text(duckdb_vector vector, std::span<const idx_t> rows,
                                             const char* what);
[[noreturn]] void throw_different(const char* what, std::string_view one, std::string_view other);

/// What lookups are for.
enum class Purpose : std::uint8_t {
  key,            ///< an equal key, or a neighbour in the last part of equal ones
  range,          ///< an end of a range of keys
  point,          ///< of intervals, of which only the last part is not for an equality
  rounded_point,  ///< likewise; the last part is converted even if it has the type of the keys
  clamped_point,  ///< likewise; below or above all keys it becomes the least or the greatest one
};

[[nodiscard]] constexpr bool has_lower(Ends ends) {
  return ends == Ends::closed || ends == Ends::right_open;
}
[[nodiscard]] constexpr bool has_upper(Ends ends) {
  return ends == Ends::closed || ends == Ends::left_open;
}

/// Whether the lower and the upper end belong to a range.
[[nodiscard]] Ends ends_with(bool lower, bool upper);

/// Of the ends of ranges that become closed: for integers x > 1.5 is x >= 2, and x > 2 is x >= 3.
[[nodiscard]] Between between_of_lower(Ends ends);
[[nodiscard]] Between between_of_upper(Ends ends);

/// Whether an argument is a text, as that for ends is.
[[nodiscard]] bool is_text(duckdb_data_chunk chunk, idx_t argument);
/// The text for the ends of ranges, which is the same in all rows of a chunk.
[[nodiscard]] std::string_view ends_text(duckdb_data_chunk chunk, idx_t argument);

/// Lookups of one chunk: some of its vectors as one column, compared with the keys of an index.
/// Elements of the same type are read in place, others are converted, as SQL's comparisons do.
class LookupKeys {
 public:
  /// `vectors`: the numbers of the vectors. `between`: for the last of them; in the parts before it
  /// a value between two keys is NULL, or rejected in ranges.
  LookupKeys(duckdb_data_chunk chunk, std::span<const idx_t> vectors,
             std::span<const KeyType> key_parts, Between between, Purpose purpose);
  /// The elements of one vector.
  LookupKeys(duckdb_vector vector, idx_t rows, const KeyType& key, Between between);

  [[nodiscard]] const ColumnView& column() const { return column_; }
  /// Whether an argument is the literal NULL, which has no type: no lookup matches.
  [[nodiscard]] bool all_null() const { return all_null_; }
  /// Whether the last part was converted to an end that is closed.
  [[nodiscard]] bool closed() const { return closed_; }
  /// Whether the last part has a value that no key can have.
  [[nodiscard]] bool inexact() const { return inexact_; }
  /// Whether a value that is not NULL became one: no key matches it.
  [[nodiscard]] bool matches_none(idx_t row) const {
    return !validities_.empty() && !is_valid(validities_.back().data(), row);
  }
  /// Makes a row of the last part NULL, which was converted.
  void set_null(idx_t row);
  /// The last part in units of the keys, of rounded points.
  [[nodiscard]] std::span<const Units> units() const { return units_; }

 private:
  [[nodiscard]] bool is_rounded_point() const {
    return purpose_ == Purpose::rounded_point || purpose_ == Purpose::clamped_point;
  }
  [[nodiscard]] ColumnView part(duckdb_vector vector, const KeyType& key, Between between,
                                bool last);
  [[nodiscard]] ColumnView strings(const duckdb_string_t* strings, const std::uint64_t* validity);
  [[nodiscard]] ColumnView words(duckdb_logical_type type, const void* data,
                                 const std::uint64_t* validity);
  [[nodiscard]] ColumnView floats(duckdb_vector vector, const KeyType& lookup, const KeyType& key);
  [[nodiscard]] ColumnView times(const duckdb_string_t* texts, const std::uint64_t* validity,
                                 const KeyType& key);
  [[nodiscard]] ColumnView converted(const void* data, const std::uint64_t* validity,
                                     const KeyType& lookup, const KeyType& key, Between between);

  idx_t rows_;
  Purpose purpose_ = Purpose::range;
  bool is_row_ = false;  ///< several parts of an end of a range
  bool closed_ = false;
  bool inexact_ = false;
  std::vector<Units> units_;
  bool all_null_ = false;
  std::vector<std::vector<std::string_view>> strings_;
  std::vector<std::vector<std::string>> words_;
  std::vector<std::vector<double>> doubles_;
  std::vector<std::vector<float>> floats_;
  std::vector<std::vector<std::byte>> numbers_;
  std::vector<std::vector<std::uint64_t>> validities_;
  ColumnView column_;
};

/// The ends of a range after the conversion of its lower and its upper keys.
[[nodiscard]] Ends ends_of(Ends ends, const LookupKeys& lower, const LookupKeys& upper);

}  // namespace rtindex::sql
