#pragma once

/// \file
/// The key arguments of a call as columns.

#include <cstddef>
#include <cstdint>
#include <span>
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

/// Lookups of one chunk: some of its vectors as one column, compared with the keys of an index.
/// Native elements are read in place. Integers and decimals become floats for a column of
/// floats, as in SQL.
class LookupKeys {
 public:
  LookupKeys(duckdb_data_chunk chunk, idx_t first, idx_t count, std::span<const KeyType> key_parts);

  [[nodiscard]] const ColumnView& column() const { return column_; }
  /// Whether an argument is the literal NULL, which has no type: no lookup matches.
  [[nodiscard]] bool all_null() const { return all_null_; }

 private:
  [[nodiscard]] ColumnView part(duckdb_vector vector, const KeyType& key);
  [[nodiscard]] ColumnView strings(const duckdb_string_t* strings, const std::uint64_t* validity);
  [[nodiscard]] const double* doubles(duckdb_vector vector, duckdb_logical_type type);

  idx_t rows_;
  bool all_null_ = false;
  std::vector<std::vector<std::string_view>> strings_;
  std::vector<std::vector<double>> doubles_;
  std::vector<std::vector<float>> floats_;
  ColumnView column_;
};

}  // namespace rtindex::sql
