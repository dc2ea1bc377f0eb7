#include "key_types.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <rtindex/error.hpp>

namespace rtindex::sql {

namespace {

using enum TimeUnit;

constexpr std::array key_types = std::to_array<KeyType>({
    {DUCKDB_TYPE_BOOLEAN, "BOOLEAN", Type::boolean, unspecified, 1, 1},
    {DUCKDB_TYPE_TINYINT, "TINYINT", Type::i8, unspecified, 1, 1},
    {DUCKDB_TYPE_SMALLINT, "SMALLINT", Type::i16, unspecified, 2, 2},
    {DUCKDB_TYPE_INTEGER, "INTEGER", Type::i32, unspecified, 4, 4},
    {DUCKDB_TYPE_BIGINT, "BIGINT", Type::i64, unspecified, 8, 8},
    {DUCKDB_TYPE_HUGEINT, "HUGEINT", Type::i128, unspecified, 16, 16},
    {DUCKDB_TYPE_UTINYINT, "UTINYINT", Type::u8, unspecified, 1, 1},
    {DUCKDB_TYPE_USMALLINT, "USMALLINT", Type::u16, unspecified, 2, 2},
    {DUCKDB_TYPE_UINTEGER, "UINTEGER", Type::u32, unspecified, 4, 4},
    {DUCKDB_TYPE_UBIGINT, "UBIGINT", Type::u64, unspecified, 8, 8},
    {DUCKDB_TYPE_UHUGEINT, "UHUGEINT", Type::u128, unspecified, 16, 16},
    {DUCKDB_TYPE_FLOAT, "FLOAT", Type::f32, unspecified, 4, 4},
    {DUCKDB_TYPE_DOUBLE, "DOUBLE", Type::f64, unspecified, 8, 8},
    {DUCKDB_TYPE_DATE, "DATE", Type::date32, unspecified, 4, 4},
    {DUCKDB_TYPE_TIME, "TIME", Type::time64, microsecond, 8, 8},
    {DUCKDB_TYPE_TIMESTAMP, "TIMESTAMP", Type::timestamp64, microsecond, 8, 8},
    {DUCKDB_TYPE_TIMESTAMP_TZ, "TIMESTAMP WITH TIME ZONE", Type::timestamp64, microsecond, 8, 8},
    {DUCKDB_TYPE_TIMESTAMP_S, "TIMESTAMP_S", Type::timestamp64, second, 8, 8},
    {DUCKDB_TYPE_TIMESTAMP_MS, "TIMESTAMP_MS", Type::timestamp64, millisecond, 8, 8},
    {DUCKDB_TYPE_TIMESTAMP_NS, "TIMESTAMP_NS", Type::timestamp64, nanosecond, 8, 8},
    // DuckDB stores UUIDs as HUGEINTs that have their order.
    {DUCKDB_TYPE_UUID, "UUID", Type::i128, unspecified, 16, 16},
    {DUCKDB_TYPE_VARCHAR, "VARCHAR", Type::string},
    {DUCKDB_TYPE_BLOB, "BLOB", Type::string},
    {DUCKDB_TYPE_ENUM, "ENUM", Type::string},  // compared as text
});

/// DECIMALs of up to 4 digits are 16-bit integers in vectors, which become 32-bit ones.
KeyType decimal_of(int digits, int scale) {
  KeyType decimal{DUCKDB_TYPE_DECIMAL, "DECIMAL", Type::decimal32, unspecified, 4, 4};
  decimal.digits = digits;
  decimal.scale = scale;
  if (digits <= 4) decimal.vector_width = 2;
  if (digits > 9) {
    decimal.type = digits > 18 ? Type::decimal128 : Type::decimal64;
    decimal.width = decimal.vector_width = digits > 18 ? 16 : 8;
  }
  return decimal;
}

const KeyType& type_of_id(duckdb_type id) {
  return *std::ranges::find(key_types, id, &KeyType::id);
}

bool is_signed(const KeyType& integer) {
  return (integer.type >= Type::i8 && integer.type <= Type::i64) || integer.type == Type::i128;
}

/// How many digits an integer has, or a DECIMAL before the point.
int whole_digits(const KeyType& number) {
  if (number.id == DUCKDB_TYPE_DECIMAL) return number.digits - number.scale;
  switch (number.width) {
    case 1: return 3;
    case 2: return 5;
    case 4: return 10;
    case 8: return is_signed(number) ? 19 : 20;
    default: return 39;
  }
}

/// Of two integers or DECIMALs; none: there is no such type.
std::optional<KeyType> common_number(const KeyType& a, const KeyType& b) {
  if (a.id == DUCKDB_TYPE_DECIMAL || b.id == DUCKDB_TYPE_DECIMAL) {
    const int scale = std::max(a.scale, b.scale);
    const int digits = std::max(whole_digits(a), whole_digits(b)) + scale;
    return digits > 38 ? std::nullopt : std::optional(decimal_of(digits, scale));
  }
  if (is_signed(a) == is_signed(b)) return a.width < b.width ? b : a;
  const KeyType& positive = is_signed(a) ? b : a;
  const KeyType& other = is_signed(a) ? a : b;
  if (other.width > positive.width) return other;
  switch (positive.width) {
    case 1: return type_of_id(DUCKDB_TYPE_SMALLINT);
    case 2: return type_of_id(DUCKDB_TYPE_INTEGER);
    case 4: return type_of_id(DUCKDB_TYPE_BIGINT);
    case 8: return type_of_id(DUCKDB_TYPE_HUGEINT);
    default: return std::nullopt;
  }
}

/// What to do about starts and ends that have no common type.
std::string common_advice(const KeyType& a, const KeyType& b) {
  if (a.is_number() && b.is_number()) {
    if (a.is_float() || b.is_float()) return "cast both to DOUBLE";
    const int scale = std::max(a.scale, b.scale);
    return "cast both to " + (scale == 0 ? "HUGEINT" : decimal_of(38, scale).text());
  }
  if (a.is_time() && b.is_time()) return "cast both to TIMESTAMP WITH TIME ZONE";
  if (a.is_cast_from_text() && b.id == DUCKDB_TYPE_VARCHAR) return "cast both to " + a.text();
  if (b.is_cast_from_text() && a.id == DUCKDB_TYPE_VARCHAR) return "cast both to " + b.text();
  return "pass two values of one type";
}

/// The advice for a type that keys cannot have.
struct Advice {
  duckdb_type id;
  const char* name;
  const char* advice;
};

// DUCKDB_TYPE_BIGNUM, which the headers of older versions have by another name.
constexpr auto bignum = static_cast<duckdb_type>(35);

constexpr std::array advices = std::to_array<Advice>({
    {DUCKDB_TYPE_INTERVAL, "INTERVAL", "pass epoch_us() of it, a BIGINT"},
    {DUCKDB_TYPE_TIME_TZ, "TIME WITH TIME ZONE", "cast it to TIME"},
    {DUCKDB_TYPE_BIT, "BIT", "cast it to VARCHAR"},
    {DUCKDB_TYPE_STRUCT, "STRUCT", "pass its fields as several keys"},
    {DUCKDB_TYPE_LIST, "LIST", "pass its elements as several keys, or cast it to VARCHAR"},
    {DUCKDB_TYPE_MAP, "MAP", "pass its keys or values as several keys, or cast it to VARCHAR"},
    {DUCKDB_TYPE_UNION, "UNION", "pass one of its members, or cast it to VARCHAR"},
    {DUCKDB_TYPE_SQLNULL, "a NULL without a type", "cast it to the type of the keys"},
    {bignum, "BIGNUM", "cast it to HUGEINT, DOUBLE or VARCHAR"},
    {DUCKDB_TYPE_ARRAY, "ARRAY", "pass its elements as several keys, or cast it to VARCHAR"},
});

}  // namespace

KeyType key_type(duckdb_logical_type type) {
  const duckdb_type id = duckdb_get_type_id(type);
  if (id == DUCKDB_TYPE_DECIMAL)
    return decimal_of(duckdb_decimal_width(type), duckdb_decimal_scale(type));
  const auto* found = std::ranges::find(key_types, id, &KeyType::id);
  if (found != key_types.end()) return *found;
  if (is_null_condition(type))
    throw Error(
        "rtindex_is_null() is a condition of rtindex_filter_... on a column, and no key: pass a "
        "key, "
        "or build points with rtindex_build_points");
  const auto* advice = std::ranges::find(advices, id, &Advice::id);
  if (advice == advices.end())
    throw Error(
        "keys are numbers, dates, times, UUID, ENUM, VARCHAR or BLOB; cast this type to one of "
        "them");
  throw Error(std::string(advice->name) + " cannot be a key: " + advice->advice);
}

KeyType common_type(const KeyType& start, const KeyType& end) {
  if (start.text() == end.text() || (start.type == Type::string && end.type == Type::string))
    return start;
  if (start.is_float() && end.is_float()) return type_of_id(DUCKDB_TYPE_DOUBLE);
  if (start.is_exact_number() && end.is_exact_number())
    if (const auto common = common_number(start, end)) return *common;
  const bool zones = start.id == DUCKDB_TYPE_TIMESTAMP_TZ || end.id == DUCKDB_TYPE_TIMESTAMP_TZ;
  if (start.is_time() && end.is_time() && !zones) {
    if (start.type != end.type) return start.type == Type::date32 ? end : start;
    return start.unit < end.unit ? end : start;
  }
  throw Error("the intervals start with " + start.text() + " and end with " + end.text() + ": " +
              common_advice(start, end));
}

std::string KeyType::text() const {
  if (id != DUCKDB_TYPE_DECIMAL) return name;
  return "DECIMAL(" + std::to_string(digits) + "," + std::to_string(scale) + ")";
}

std::string KeyType::text_with_article() const {
  return (std::string_view("AEIO").find(name[0]) != std::string_view::npos ? "an " : "a ") + text();
}

bool KeyType::has_cast_to(const KeyType& other) const {
  const auto is_value = [](const KeyType& one) {
    return one.is_number() || one.id == DUCKDB_TYPE_BOOLEAN;
  };
  return id == DUCKDB_TYPE_VARCHAR || other.id == DUCKDB_TYPE_VARCHAR ||
         other.id == DUCKDB_TYPE_ENUM || (is_value(*this) && is_value(other)) ||
         (is_time() && other.is_time()) ||
         (type == Type::timestamp64 && other.id == DUCKDB_TYPE_TIME);
}

bool KeyType::is_exact_number() const {
  return id == DUCKDB_TYPE_DECIMAL ||
         (id != DUCKDB_TYPE_UUID &&
          (type <= Type::i64 || type == Type::i128 || type == Type::u128));
}

bool KeyType::same_layout(const KeyType& other) const {
  // The time zone of TIMESTAMP WITH TIME ZONE is no part of its values, but of their casts.
  return type == other.type && unit == other.unit && scale == other.scale &&
         vector_width == other.vector_width && vector_width == width &&
         (id == other.id ||
          (id != DUCKDB_TYPE_UUID && other.id != DUCKDB_TYPE_UUID &&
           id != DUCKDB_TYPE_TIMESTAMP_TZ && other.id != DUCKDB_TYPE_TIMESTAMP_TZ));
}

bool is_null_condition(duckdb_logical_type type) {
  if (duckdb_get_type_id(type) != DUCKDB_TYPE_STRUCT || duckdb_struct_type_child_count(type) != 1)
    return false;
  char* name = duckdb_struct_type_child_name(type, 0);
  const bool same = std::string_view(name) == is_null_field;
  duckdb_free(name);
  const LogicalType field(duckdb_struct_type_child_type(type, 0));
  return same && duckdb_get_type_id(field.get()) == DUCKDB_TYPE_BOOLEAN;
}

std::string enum_text(duckdb_logical_type type, std::uint64_t value) {
  char* text = duckdb_enum_dictionary_value(type, value);
  std::string copy(text);
  duckdb_free(text);
  return copy;
}

std::uint64_t enum_value(duckdb_logical_type type, const void* data, idx_t row) {
  switch (duckdb_enum_internal_type(type)) {
    case DUCKDB_TYPE_UTINYINT: return static_cast<const std::uint8_t*>(data)[row];
    case DUCKDB_TYPE_USMALLINT: return static_cast<const std::uint16_t*>(data)[row];
    default: return static_cast<const std::uint32_t*>(data)[row];
  }
}

std::string text_of(std::span<const KeyType> parts) {
  if (parts.size() == 1) return parts.front().text();
  std::string text = "(";
  const char* separator = "";
  for (const KeyType& part : parts) text += std::exchange(separator, ", ") + part.text();
  return text + ")";
}

}  // namespace rtindex::sql
