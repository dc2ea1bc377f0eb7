#include "conversion.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include <rtindex/error.hpp>

namespace rtindex::sql {

namespace {

template <class T>
T element(const void* data, idx_t row) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + row * sizeof(T), sizeof(T));
  return value;
}

int128 hugeint_at(const void* data, idx_t row) {
  const auto value = element<duckdb_hugeint>(data, row);
  return static_cast<int128>(value.upper) * (static_cast<int128>(1) << 64) +
         static_cast<int128>(value.lower);
}

/// The integer that an element is stored as. An UHUGEINT beyond HUGEINT becomes the greatest one,
/// which lies above all keys of other types.
int128 integer_at(const KeyType& type, const void* data, idx_t row) {
  if (type.id == DUCKDB_TYPE_UHUGEINT) {
    const int128 value = hugeint_at(data, row);
    return value >= 0 ? value : ~(static_cast<int128>(1) << 127);
  }
  const bool is_unsigned = type.id == DUCKDB_TYPE_UTINYINT || type.id == DUCKDB_TYPE_USMALLINT ||
                           type.id == DUCKDB_TYPE_UINTEGER || type.id == DUCKDB_TYPE_UBIGINT ||
                           type.id == DUCKDB_TYPE_BOOLEAN;
  switch (type.vector_width) {
    case 1:
      return is_unsigned ? int128{element<std::uint8_t>(data, row)}
                         : int128{element<std::int8_t>(data, row)};
    case 2:
      return is_unsigned ? int128{element<std::uint16_t>(data, row)}
                         : int128{element<std::int16_t>(data, row)};
    case 4:
      return is_unsigned ? int128{element<std::uint32_t>(data, row)}
                         : int128{element<std::int32_t>(data, row)};
    case 8:
      return is_unsigned ? int128{element<std::uint64_t>(data, row)}
                         : int128{element<std::int64_t>(data, row)};
    default: return hugeint_at(data, row);
  }
}

int128 power_of_ten(int digits) {
  int128 power = 1;
  while (digits-- > 0) power *= 10;
  return power;
}

/// How many nanoseconds a tick has.
std::int64_t tick_of(const KeyType& type) {
  if (type.type == Type::date32) return 86'400'000'000'000;
  switch (type.unit) {
    case TimeUnit::second: return 1'000'000'000;
    case TimeUnit::millisecond: return 1'000'000;
    case TimeUnit::microsecond: return 1000;
    default: return 1;
  }
}

[[noreturn]] void throw_between(const KeyType& type, const KeyType& key) {
  throw Error("a lookup of type " + type.text() + " lies between two keys of type " + key.text() +
              ": cast it to " + key.text());
}

/// value * numerator / denominator, one of which is 1. Saturates: such values lie beyond all keys.
std::optional<int128> scaled(int128 value, int128 numerator, int128 denominator, Between between,
                             const KeyType& type, const KeyType& key) {
  int128 product = 0;
  if (__builtin_mul_overflow(value, numerator, &product)) {
    if (between == Between::null) return std::nullopt;
    const int128 least = static_cast<int128>(1) << 127;
    return value < 0 ? least : ~least;
  }
  int128 quotient = product / denominator;
  const int128 rest = product % denominator;
  if (rest == 0) return quotient;
  if (between == Between::null) return std::nullopt;
  if (between == Between::reject) throw_between(type, key);
  if (between == Between::down && rest < 0) --quotient;
  if (between == Between::up && rest > 0) ++quotient;
  return quotient;
}

std::optional<int128> from_double(double value, Between between, const KeyType& type,
                                  const KeyType& key) {
  if (std::isnan(value)) {  // above all numbers, as DuckDB orders it
    if (between == Between::null) return std::nullopt;
    return ~(static_cast<int128>(1) << 127);
  }
  const auto divisor = static_cast<double>(power_of_ten(key.scale));
  const double units = value * divisor;
  if (std::fabs(units) >= 0x1p126) {
    if (between == Between::null) return std::nullopt;
    return units < 0 ? static_cast<int128>(1) << 127 : ~(static_cast<int128>(1) << 127);
  }
  // The key that has this value as a double, if there is one.
  const double nearest = std::round(units);
  if (nearest / divisor == value) return static_cast<int128>(nearest);
  if (between == Between::null) return std::nullopt;
  if (between == Between::reject) throw_between(type, key);
  return static_cast<int128>(between == Between::down ? std::floor(units) : std::ceil(units));
}

/// The text as DuckDB casts it. If it cannot, DuckDB 2 returns 0 and earlier versions the least
/// number.
std::int64_t cast_by_duckdb(std::string_view text, const KeyType& key) {
  const Value value(duckdb_create_varchar_length(text.data(), text.size()));
  switch (key.id) {
    case DUCKDB_TYPE_DATE: return duckdb_get_date(value.get()).days;
    case DUCKDB_TYPE_TIME: return duckdb_get_time(value.get()).micros;
    case DUCKDB_TYPE_TIMESTAMP_S: return duckdb_get_timestamp_s(value.get()).seconds;
    case DUCKDB_TYPE_TIMESTAMP_MS: return duckdb_get_timestamp_ms(value.get()).millis;
    case DUCKDB_TYPE_TIMESTAMP_NS: return duckdb_get_timestamp_ns(value.get()).nanos;
    default: return duckdb_get_timestamp(value.get()).micros;
  }
}

std::int64_t failed_cast(const KeyType& key) {
  return key.type == Type::date32 ? std::numeric_limits<std::int32_t>::min()
                                  : std::numeric_limits<std::int64_t>::min();
}

/// Whether a text that became 0 is 1970-01-01 or midnight: the same text of another century or hour
/// can be cast to another number. 'epoch' is a date too.
bool is_epoch(std::string_view text, const KeyType& key) {
  std::string other(text);
  const bool is_time = key.id == DUCKDB_TYPE_TIME;
  if (!is_time && other.find("epoch") != std::string::npos) return true;
  if (const std::size_t colon = other.find(':'); is_time && colon != std::string::npos) {
    if (colon == 0 || other[colon - 1] != '0') return false;
    other[colon - 1] = '1';
  } else if (is_time) {
    if (other.find_first_of("-/") == std::string::npos) return false;
    other += " 01:00";  // a date has the time of its midnight
  } else {
    const std::size_t year = std::min(other.find("1970"), other.find("1969"));
    if (year == std::string::npos) return false;
    other[year + 1] = '8';
  }
  const std::int64_t ticks = cast_by_duckdb(other, key);
  return ticks != 0 && ticks != failed_cast(key);
}

}  // namespace

double double_at(const KeyType& type, const void* data, idx_t row) {
  if (type.type == Type::f32) return element<float>(data, row);
  if (type.type == Type::f64) return element<double>(data, row);
  return static_cast<double>(integer_at(type, data, row)) /
         static_cast<double>(power_of_ten(type.scale));
}

std::int64_t ticks_of(std::string_view text, const KeyType& key) {
  const std::int64_t ticks = cast_by_duckdb(text, key);
  if (ticks == 0 ? !is_epoch(text, key) : ticks == failed_cast(key)) {
    const char* example = key.type == Type::date32     ? "2024-02-01"
                          : key.id == DUCKDB_TYPE_TIME ? "12:30:00"
                                                       : "2024-02-01 12:30:00";
    throw Error("the lookup '" + std::string(text) + "' is no " + key.text() +
                ": expected a text such as '" + example + "'");
  }
  return ticks;
}

std::optional<int128> units_at(const KeyType& type, const void* data, idx_t row, const KeyType& key,
                               Between between) {
  if (type.is_float()) return from_double(double_at(type, data, row), between, type, key);
  const int128 value = integer_at(type, data, row);
  if (!key.is_time()) {
    const int digits = key.scale - type.scale;
    return scaled(value, power_of_ten(digits), power_of_ten(-digits), between, type, key);
  }
  const std::int64_t from = tick_of(type);
  const std::int64_t to = tick_of(key);
  return scaled(value, from > to ? from / to : 1, from > to ? 1 : to / from, between, type, key);
}

}  // namespace rtindex::sql
