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

/// The integer that an element is stored as.
int128 integer_at(const KeyType& type, const void* data, idx_t row) {
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

constexpr int128 min_128 = static_cast<int128>(1) << 127;
constexpr int128 max_128 = ~min_128;

/// The greatest number of a time, which is infinity. The least one is its negative.
std::int64_t infinity_of(const KeyType& time) {
  return time.type == Type::date32 ? std::numeric_limits<std::int32_t>::max()
                                   : std::numeric_limits<std::int64_t>::max();
}

/// value * numerator / denominator, one of which is 1.
Units scaled(int128 value, int128 numerator, int128 denominator) {
  int128 product = 0;
  if (__builtin_mul_overflow(value, numerator, &product)) return {.beyond = value < 0 ? -1 : 1};
  int128 quotient = product / denominator;
  int128 rest = product % denominator;
  if (rest < 0) {
    rest += denominator;
    --quotient;
  }
  return {.floor = quotient,
          .fraction = std::min(static_cast<double>(rest) / static_cast<double>(denominator),
                               std::nextafter(1.0, 0.0))};
}

Units scaled_time(int128 value, const KeyType& type, const KeyType& key) {
  const int128 infinity = infinity_of(key);
  if (value == infinity_of(type)) return {.floor = infinity};
  if (value == -infinity_of(type)) return {.floor = -infinity};
  const std::int64_t from = tick_of(type);
  const std::int64_t to = tick_of(key);
  const Units units = scaled(value, from > to ? from / to : 1, from > to ? 1 : to / from);
  // A finite time that the keys cannot have lies between their last one and infinity.
  if (units.floor >= infinity) return {.floor = infinity - 1, .fraction = 0.5};
  if (units.floor < -infinity || (units.floor == -infinity && units.fraction == 0))
    return {.floor = -infinity, .fraction = 0.5};
  return units;
}

/// `narrow`: it is a FLOAT, which equals the DECIMAL that becomes this FLOAT.
Units from_double(double value, bool narrow, const KeyType& key) {
  if (std::isnan(value)) return {.beyond = 1};  // above all numbers, as DuckDB orders it
  const auto divisor = static_cast<double>(power_of_ten(key.scale));
  const double units = value * divisor;
  if (units >= 0x1p127) return {.beyond = 1};
  if (units < -0x1p127) return {.beyond = -1};
  // The key that has this value as a double, if there is one.
  const double nearest = std::round(units);
  const double back = nearest / divisor;
  if (back == value || (narrow && static_cast<float>(back) == static_cast<float>(value)))
    return {.floor = static_cast<int128>(nearest)};
  const double floor = back < value ? nearest : nearest - 1;
  return {.floor = static_cast<int128>(floor),
          .fraction = std::clamp(units - floor, std::numeric_limits<double>::min(),
                                 std::nextafter(1.0, 0.0))};
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

int128 max_of(const KeyType& key) { return key.is_time() ? infinity_of(key) : max_128; }

int128 min_of(const KeyType& key) { return key.is_time() ? -infinity_of(key) : min_128; }

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

Units units_at(const KeyType& type, const void* data, idx_t row, const KeyType& key) {
  const bool is_biased = key.id == DUCKDB_TYPE_UHUGEINT;
  Units units;
  if (type.is_float()) {
    const double value = double_at(type, data, row);
    if (is_biased && value >= 0x1p127)
      return value < 0x1p128 ? Units{.floor = static_cast<int128>(value - 0x1p127)}
                             : Units{.beyond = 1};
    units = from_double(value, type.type == Type::f32, key);
  } else {
    const int128 value = integer_at(type, data, row);
    if (type.id == DUCKDB_TYPE_UHUGEINT && is_biased) return {.floor = value ^ min_128};
    if (type.id == DUCKDB_TYPE_UHUGEINT && value < 0) return {.beyond = 1};
    if (key.is_time()) return scaled_time(value, type, key);
    const int digits = key.scale - type.scale;
    units = scaled(value, power_of_ten(digits), power_of_ten(-digits));
  }
  if (!is_biased || units.beyond != 0) return units;
  if (units.floor < 0) return {.beyond = -1};
  units.floor += min_128;
  return units;
}

int128 limit_of(const KeyType& key, Between between) {
  return between == Between::down || between == Between::below ? min_of(key) : max_of(key);
}

std::optional<int128> rounded(const Units& units, const KeyType& key, Between between) {
  const int128 most = max_of(key);
  const int128 least = min_of(key);
  if (between == Between::null) return units.exact() ? std::optional(units.floor) : std::nullopt;
  if (between == Between::reject)  // callers have rejected fractions
    return units.beyond < 0 ? least : units.beyond > 0 ? most : units.floor;
  // Only keys of 128 bits and times can be the least or the greatest number.
  const bool has_limits = key.has_128_bit_limits() || key.is_time();
  if (between == Between::down || between == Between::below) {
    if (units.beyond > 0) return most;
    const bool strict = between == Between::below && units.fraction == 0;
    if (units.beyond == 0 && !(strict && units.floor == least))
      return units.floor - (strict ? 1 : 0);
    return has_limits ? std::nullopt : std::optional(least);
  }
  if (units.beyond < 0) return least;
  const bool whole = between == Between::up && units.fraction == 0;
  if (units.beyond == 0 && (whole || units.floor != most)) return units.floor + (whole ? 0 : 1);
  return has_limits ? std::nullopt : std::optional(most);
}

}  // namespace rtindex::sql
