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
#include "key_types.hpp"

namespace rtindex::sql {

/// The rows 0 to count - 1 of a chunk, valid until the next call of this thread.
[[nodiscard]] std::span<const idx_t> all_rows(idx_t count);

/// The text that is the same in these rows of a vector, of which there is at least one: the name of
/// an index, or an option. Throws `Error` if it is NULL or differs; `what` names it.
[[nodiscard]] std::string_view constant_text(duckdb_vector vector, std::span<const idx_t> rows,
                                             const char* what);
[[noreturn]] void throw_different(const char* what, std::string_view one, std::string_view other);

/// What becomes of a number or a time between two keys, such as 1.5 between integers.
enum class Between : std::uint8_t {
  null,    ///< it equals no key
  down,    ///< the key below
  up,      ///< the key above
  reject,  ///< an `Error`
};

/// Of the ends of ranges: for integers x > 1.5 is x > 1, and x >= 1.5 is x >= 2.
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
  /// `vectors`: the numbers of the vectors. `between`: for the last of them; of the parts before it
  /// a value between two keys is NULL, or rejected unless `between` is null.
  LookupKeys(duckdb_data_chunk chunk, std::span<const idx_t> vectors,
             std::span<const KeyType> key_parts, Between between);
  /// The elements of one vector.
  LookupKeys(duckdb_vector vector, idx_t rows, const KeyType& key, Between between);

  [[nodiscard]] const ColumnView& column() const { return column_; }
  /// Whether an argument is the literal NULL, which has no type: no lookup matches.
  [[nodiscard]] bool all_null() const { return all_null_; }

 private:
  [[nodiscard]] ColumnView part(duckdb_vector vector, const KeyType& key, Between between);
  [[nodiscard]] ColumnView strings(const duckdb_string_t* strings, const std::uint64_t* validity);
  [[nodiscard]] ColumnView words(duckdb_logical_type type, const void* data,
                                 const std::uint64_t* validity);
  [[nodiscard]] ColumnView floats(duckdb_vector vector, const KeyType& lookup, const KeyType& key);
  [[nodiscard]] ColumnView times(const duckdb_string_t* texts, const std::uint64_t* validity,
                                 const KeyType& key);
  [[nodiscard]] ColumnView converted(duckdb_vector vector, const KeyType& lookup,
                                     const KeyType& key, Between between);

  idx_t rows_;
  bool all_null_ = false;
  std::vector<std::vector<std::string_view>> strings_;
  std::vector<std::vector<std::string>> words_;
  std::vector<std::vector<double>> doubles_;
  std::vector<std::vector<float>> floats_;
  std::vector<std::vector<std::byte>> numbers_;
  std::vector<std::vector<std::uint64_t>> validities_;
  ColumnView column_;
};

}  // namespace rtindex::sql
