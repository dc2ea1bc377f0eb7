#include "key_types.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <rtindex/error.hpp>

namespace rtindex::sql {

namespace {

using enum TimeUnit;

constexpr std::array key_types = std::to_array<KeyType>({
    {DUCKDB_TYPE_BOOLEAN, "BOOLEAN", Type::boolean, unspecified, 1},
    {DUCKDB_TYPE_TINYINT, "TINYINT", Type::i8, unspecified, 1},
    {DUCKDB_TYPE_SMALLINT, "SMALLINT", Type::i16, unspecified, 2},
    {DUCKDB_TYPE_INTEGER, "INTEGER", Type::i32, unspecified, 4},
    {DUCKDB_TYPE_BIGINT, "BIGINT", Type::i64, unspecified, 8},
    {DUCKDB_TYPE_UTINYINT, "UTINYINT", Type::u8, unspecified, 1},
    {DUCKDB_TYPE_USMALLINT, "USMALLINT", Type::u16, unspecified, 2},
    {DUCKDB_TYPE_UINTEGER, "UINTEGER", Type::u32, unspecified, 4},
    {DUCKDB_TYPE_UBIGINT, "UBIGINT", Type::u64, unspecified, 8},
    {DUCKDB_TYPE_FLOAT, "FLOAT", Type::f32, unspecified, 4},
    {DUCKDB_TYPE_DOUBLE, "DOUBLE", Type::f64, unspecified, 8},
    {DUCKDB_TYPE_DATE, "DATE", Type::date32, unspecified, 4},
    {DUCKDB_TYPE_TIMESTAMP, "TIMESTAMP", Type::timestamp64, microsecond, 8},
    {DUCKDB_TYPE_TIMESTAMP_TZ, "TIMESTAMP WITH TIME ZONE", Type::timestamp64, microsecond, 8},
    {DUCKDB_TYPE_TIMESTAMP_S, "TIMESTAMP_S", Type::timestamp64, second, 8},
    {DUCKDB_TYPE_TIMESTAMP_MS, "TIMESTAMP_MS", Type::timestamp64, millisecond, 8},
    {DUCKDB_TYPE_TIMESTAMP_NS, "TIMESTAMP_NS", Type::timestamp64, nanosecond, 8},
    {DUCKDB_TYPE_VARCHAR, "VARCHAR", Type::string, unspecified, 0},
    {DUCKDB_TYPE_BLOB, "BLOB", Type::string, unspecified, 0},
});

/// The advice for a type that keys cannot have.
struct Advice {
  duckdb_type id;
  const char* name;
  const char* advice;
};

constexpr std::array advices = std::to_array<Advice>({
    {DUCKDB_TYPE_DECIMAL, "DECIMAL", "cast it to DOUBLE, or multiply it and cast it to BIGINT"},
    {DUCKDB_TYPE_HUGEINT, "HUGEINT", "cast it to BIGINT, or to VARCHAR if only equality matters"},
    {DUCKDB_TYPE_UHUGEINT, "UHUGEINT",
     "cast it to UBIGINT, or to VARCHAR if only equality matters"},
    {DUCKDB_TYPE_UUID, "UUID", "cast it to VARCHAR"},
    {DUCKDB_TYPE_ENUM, "ENUM", "cast it to VARCHAR"},
    {DUCKDB_TYPE_TIME, "TIME", "cast it to BIGINT by epoch_us()"},
    {DUCKDB_TYPE_INTERVAL, "INTERVAL", "cast it to BIGINT by epoch_us()"},
    {DUCKDB_TYPE_STRUCT, "STRUCT", "pass its fields as several keys"},
});

}  // namespace

const KeyType& key_type(duckdb_logical_type type) {
  const duckdb_type id = duckdb_get_type_id(type);
  const auto* found = std::ranges::find(key_types, id, &KeyType::id);
  if (found != key_types.end()) return *found;
  const auto* advice = std::ranges::find(advices, id, &Advice::id);
  if (advice == advices.end())
    throw Error(
        "keys are numbers, dates, timestamps, VARCHAR or BLOB; cast this type to one of them");
  throw Error(std::string(advice->name) + " cannot be a key: " + advice->advice);
}

std::string text_of(std::span<const KeyType> parts) {
  if (parts.size() == 1) return parts.front().name;
  std::string text = "(";
  const char* separator = "";
  for (const KeyType& part : parts) text += std::exchange(separator, ", ") + std::string(part.name);
  return text + ")";
}

}  // namespace rtindex::sql
