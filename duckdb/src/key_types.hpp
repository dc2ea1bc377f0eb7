#pragma once

/// \file
/// The types of SQL that can be keys.

#include <cstddef>
#include <span>
#include <string>

#include <rtindex/column.hpp>

#include "api.hpp"

namespace rtindex::sql {

/// A type of SQL and the type of a column that has the same values in the same layout.
struct KeyType {
  duckdb_type id = DUCKDB_TYPE_INVALID;
  const char* name = "";  ///< as SQL writes it
  Type type = Type::u64;
  TimeUnit unit = TimeUnit::unspecified;
  std::size_t width = 0;  ///< bytes of a native element; 0 for strings
};

/// The key type of a vector's type; if there is none, throws an `Error` that says what to cast to.
[[nodiscard]] const KeyType& key_type(duckdb_logical_type type);

/// "BIGINT", or "(VARCHAR, DATE)" for a composite key.
[[nodiscard]] std::string text_of(std::span<const KeyType> parts);

}  // namespace rtindex::sql
