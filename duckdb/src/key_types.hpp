#pragma once

/// \file
/// The types of SQL that can be keys.

#include <cstddef>
#include <span>
#include <string>

#include <rtindex/column.hpp>

#include "api.hpp"

namespace rtindex::sql {

/// A type of SQL and the type of a column that has the same values.
struct KeyType {
  duckdb_type id = DUCKDB_TYPE_INVALID;
  const char* name = "";  ///< as SQL writes it, without the digits of a DECIMAL
  Type type = Type::u64;
  TimeUnit unit = TimeUnit::unspecified;
  std::size_t width = 0;         ///< bytes of a native element; 0 for strings
  std::size_t vector_width = 0;  ///< of an element in DuckDB's vectors
  int digits = 0;                ///< of a DECIMAL
  int scale = 0;                 ///< of a DECIMAL: digits behind the point

  /// As SQL writes it: "BIGINT", "DECIMAL(9,2)".
  [[nodiscard]] std::string text() const;
  /// "a BIGINT", "an INTEGER".
  [[nodiscard]] std::string text_with_article() const;
  [[nodiscard]] bool is_time() const { return type == Type::date32 || type == Type::timestamp64; }
  /// Whether SQL's comparisons cast a text to it, whatever the time zone of the session.
  [[nodiscard]] bool is_cast_from_text() const {
    return (is_time() || id == DUCKDB_TYPE_TIME) && id != DUCKDB_TYPE_TIMESTAMP_TZ;
  }
  /// An integer or a DECIMAL, but no UUID.
  [[nodiscard]] bool is_exact_number() const;
  /// Whether lookups may lie below or above all numbers of the type of its column.
  [[nodiscard]] bool has_128_bit_limits() const {
    return id == DUCKDB_TYPE_HUGEINT || id == DUCKDB_TYPE_UHUGEINT;
  }
  [[nodiscard]] bool is_float() const { return type == Type::f32 || type == Type::f64; }
  /// BOOLEANs compare with integers, but not with DECIMALs and floats.
  [[nodiscard]] bool is_integer_or_boolean() const {
    return id == DUCKDB_TYPE_BOOLEAN || (is_exact_number() && id != DUCKDB_TYPE_DECIMAL);
  }
  /// Whether DuckDB has a cast to the other type.
  [[nodiscard]] bool has_cast_to(const KeyType& other) const;
  [[nodiscard]] bool is_number() const { return is_exact_number() || is_float(); }
  /// Whether vectors of the other type hold the same elements in the same layout.
  [[nodiscard]] bool same_layout(const KeyType& other) const;
};

/// The key type of a vector's type; if there is none, throws an `Error` that says what to cast to.
[[nodiscard]] KeyType key_type(duckdb_logical_type type);

/// The type of starts and ends of these types, which has the values of both. Throws an `Error` that
/// says what to cast, if there is none.
[[nodiscard]] KeyType common_type(const KeyType& start, const KeyType& end);

/// "BIGINT", or "(VARCHAR, DATE)" for a composite key.
[[nodiscard]] std::string text_of(std::span<const KeyType> parts);

/// The field of the STRUCT that rtindex_is_null() returns, and whether a type is this STRUCT.
constexpr const char* is_null_field = "is_null";
[[nodiscard]] bool is_null_condition(duckdb_logical_type type);

/// The text of a value of an ENUM type.
[[nodiscard]] std::string enum_text(duckdb_logical_type type, std::uint64_t value);
/// The value of an ENUM in row `row` of a vector.
[[nodiscard]] std::uint64_t enum_value(duckdb_logical_type type, const void* data, idx_t row);

}  // namespace rtindex::sql
