#include "keys.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <rtindex/error.hpp>

namespace rtindex::sql {

namespace {

// Arrow's bitmaps are bytes: on little-endian machines the bits of words are in the same order.
const std::uint8_t* bitmap_of(const std::uint64_t* validity) {
  return reinterpret_cast<const std::uint8_t*>(validity);
}

void clear_bit(std::vector<std::uint64_t>& bits, idx_t row) {
  bits[row / 64] &= ~(std::uint64_t{1} << (row % 64));
}

[[noreturn]] void throw_incomparable(const KeyType& key, const KeyType& lookup) {
  const std::string wanted = key.id == DUCKDB_TYPE_ENUM ? "VARCHAR" : key.text();
  throw Error("the index has keys of type " + key.text() + ", the lookup is " +
              lookup.text_with_article() + ": " +
              (lookup.has_cast_to(key) ? "cast it to " + wanted
                                       : "pass " + wanted + " values, or build the index over " +
                                             lookup.text() + " keys"));
}

[[noreturn]] void throw_between(const KeyType& key, const KeyType& lookup, bool is_row) {
  const std::string wanted = key.is_time() ? lookup.text() : "DECIMAL or DOUBLE";
  throw Error(
      lookup.text_with_article() + " that is no " + key.text() +
      (is_row ? " can only be the last part of a range" : " has no exact distance from the keys") +
      ": build the index over " + wanted + " keys");
}

[[noreturn]] void throw_beyond(const KeyType& key, const KeyType& lookup) {
  throw Error("a part of a range is " + lookup.text_with_article() +
              " beyond all values of the type " + key.text() + " of the keys: pass a " +
              key.text());
}

}  // namespace

std::string_view constant_text(duckdb_vector vector, std::span<const idx_t> rows,
                               const char* what) {
  const auto* texts = static_cast<const duckdb_string_t*>(duckdb_vector_get_data(vector));
  const std::uint64_t* validity = duckdb_vector_get_validity(vector);
  const duckdb_string_t& first = texts[rows.front()];
  for (const idx_t row : rows) {
    if (!is_valid(validity, row))
      throw Error(std::string(what) + " is NULL: pass a text, such as 'orders_by_key'");
    // A constant is the same 16 bytes in every row; only other texts need to be read.
    if (std::memcmp(&texts[row], &first, sizeof first) != 0 &&
        text_of(texts[row]) != text_of(first))
      throw_different(what, text_of(first), text_of(texts[row]));
  }
  return text_of(first);
}

void throw_different(const char* what, std::string_view one, std::string_view other) {
  throw Error(std::string(what) + " differs between rows ('" + std::string(one) + "', '" +
              std::string(other) + "'): pass the same text for all of them");
}

Ends ends_with(bool lower, bool upper) {
  if (lower) return upper ? Ends::closed : Ends::right_open;
  return upper ? Ends::left_open : Ends::open;
}

Between between_of_lower(Ends ends) { return has_lower(ends) ? Between::up : Between::above; }

Between between_of_upper(Ends ends) { return has_upper(ends) ? Between::down : Between::below; }

bool is_text(duckdb_data_chunk chunk, idx_t argument) {
  return duckdb_get_type_id(type_of(chunk, argument).get()) == DUCKDB_TYPE_VARCHAR;
}

std::string_view ends_text(duckdb_data_chunk chunk, idx_t argument) {
  return constant_text(duckdb_data_chunk_get_vector(chunk, argument),
                       all_rows(duckdb_data_chunk_get_size(chunk)),
                       "the text for the ends of ranges");
}

std::span<const idx_t> all_rows(idx_t count) {
  thread_local std::vector<idx_t> rows;
  for (idx_t row = rows.size(); row < count; ++row) rows.push_back(row);
  return std::span(rows).first(count);
}

LookupKeys::LookupKeys(duckdb_data_chunk chunk, std::span<const idx_t> vectors,
                       std::span<const KeyType> key_parts, Between between, Purpose purpose)
    : rows_(duckdb_data_chunk_get_size(chunk)), purpose_(purpose) {
  if (vectors.empty() || vectors.size() > key_parts.size())
    throw Error("the index has keys of type " + text_of(key_parts) + ": pass " +
                (key_parts.size() == 1
                     ? "one key"
                     : "1 to " + std::to_string(key_parts.size()) + " parts of a key") +
                ", not " + std::to_string(vectors.size()));
  // A range of several parts keeps its ends: (1, x) > (1, 1.5) is (1, x) > (1, 1).
  if (purpose == Purpose::range && vectors.size() > 1) {
    purpose_ = Purpose::key;
    is_row_ = true;
    if (between == Between::above) between = Between::down;
    if (between == Between::below) between = Between::up;
  }
  const Between leading = is_row_ ? Between::reject : Between::null;
  std::vector<ColumnView> parts;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const bool last = i + 1 == vectors.size();
    inexact_ = false;
    parts.push_back(part(duckdb_data_chunk_get_vector(chunk, vectors[i]), key_parts[i],
                         last ? between : leading, last));
  }
  if (all_null_) return;
  column_ = key_parts.size() == 1 ? parts.front() : ColumnView::composite(std::move(parts));
}

LookupKeys::LookupKeys(duckdb_vector vector, idx_t rows, const KeyType& key, Between between)
    : rows_(rows) {
  column_ = part(vector, key, between, true);
}

Ends ends_of(Ends ends, const LookupKeys& lower, const LookupKeys& upper) {
  return ends_with(has_lower(ends) || lower.closed(), has_upper(ends) || upper.closed());
}

void LookupKeys::set_null(idx_t row) { clear_bit(validities_.back(), row); }

ColumnView LookupKeys::part(duckdb_vector vector, const KeyType& key, Between between, bool last) {
  const LogicalType type(duckdb_vector_get_column_type(vector));
  const std::uint64_t* validity = duckdb_vector_get_validity(vector);
  if (duckdb_get_type_id(type.get()) == DUCKDB_TYPE_SQLNULL) {
    all_null_ = true;
    return {};
  }
  const KeyType lookup = key_type(type.get());
  const void* data = duckdb_vector_get_data(vector);
  const bool is_text = lookup.id == DUCKDB_TYPE_VARCHAR;
  const bool convert = last && is_rounded_point();
  ColumnView column;
  if (convert && is_text) {
    (void)times(static_cast<const duckdb_string_t*>(data), validity, key);
    return converted(numbers_.back().data(), validity, key, key, between);
  }
  if (convert) return converted(data, validity, lookup, key, between);
  if (is_text && key.is_cast_from_text()) {
    column = times(static_cast<const duckdb_string_t*>(data), validity, key);
  } else if (key.type == Type::string || lookup.type == Type::string) {
    if (key.type != lookup.type) throw_incomparable(key, lookup);
    column = lookup.id == DUCKDB_TYPE_ENUM
                 ? words(type.get(), data, validity)
                 : strings(static_cast<const duckdb_string_t*>(data), validity);
  } else if (key.same_layout(lookup) ||
             (key.type <= Type::boolean && lookup.type <= Type::boolean)) {
    column = ColumnView::of(lookup.type, data, rows_);
    if (lookup.unit != TimeUnit::unspecified) column = column.with_time_unit(lookup.unit);
    if (lookup.id == DUCKDB_TYPE_DECIMAL) column = column.with_scale(lookup.scale);
  } else if (key.is_float() && lookup.is_float()) {
    column = ColumnView::of(lookup.type, data, rows_);
  } else if (key.is_float() && lookup.is_exact_number()) {
    column = floats(vector, lookup, key);
  } else {
    return converted(data, validity, lookup, key, between);
  }
  return validity == nullptr ? column : column.with_validity(bitmap_of(validity));
}

ColumnView LookupKeys::strings(const duckdb_string_t* strings, const std::uint64_t* validity) {
  auto& views = strings_.emplace_back(rows_);
  for (idx_t row = 0; row < rows_; ++row)
    if (is_valid(validity, row)) views[row] = text_of(strings[row]);
  return views;
}

ColumnView LookupKeys::words(duckdb_logical_type type, const void* data,
                             const std::uint64_t* validity) {
  auto& texts = words_.emplace_back(rows_);
  for (idx_t row = 0; row < rows_; ++row)
    if (is_valid(validity, row)) texts[row] = enum_text(type, enum_value(type, data, row));
  return {std::span<const std::string>(texts)};
}

ColumnView LookupKeys::times(const duckdb_string_t* texts, const std::uint64_t* validity,
                             const KeyType& key) {
  auto& bytes = numbers_.emplace_back(rows_ * key.width);
  const duckdb_string_t* last = nullptr;
  std::int64_t ticks = 0;
  for (idx_t row = 0; row < rows_; ++row) {
    if (!is_valid(validity, row)) continue;
    // A constant is the same 16 bytes in every row.
    if (last == nullptr || std::memcmp(last, &texts[row], sizeof *last) != 0)
      ticks = ticks_of(text_of(texts[row]), key);
    last = &texts[row];
    std::memcpy(bytes.data() + row * key.width, &ticks, key.width);  // little-endian
  }
  const ColumnView column = ColumnView::of(key.type, bytes.data(), rows_);
  return key.unit == TimeUnit::unspecified ? column : column.with_time_unit(key.unit);
}

// SQL compares a FLOAT with an integer or a DECIMAL as FLOATs.
ColumnView LookupKeys::floats(duckdb_vector vector, const KeyType& lookup, const KeyType& key) {
  const void* data = duckdb_vector_get_data(vector);
  auto& values = doubles_.emplace_back(rows_);
  for (idx_t row = 0; row < rows_; ++row) values[row] = double_at(lookup, data, row);
  if (key.type == Type::f64) return {std::span<const double>(values)};
  auto& narrow = floats_.emplace_back(values.begin(), values.end());
  return {std::span<const float>(narrow)};
}

ColumnView LookupKeys::converted(const void* data, const std::uint64_t* validity,
                                 const KeyType& lookup, const KeyType& key, Between between) {
  const bool numbers = (key.is_exact_number() && lookup.is_number()) ||
                       (key.is_integer_or_boolean() && lookup.is_integer_or_boolean());
  // A cast between times with and without a zone depends on the session.
  const bool times =
      key.is_time() && lookup.is_time() &&
      (key.id == DUCKDB_TYPE_TIMESTAMP_TZ) == (lookup.id == DUCKDB_TYPE_TIMESTAMP_TZ);
  if (!numbers && !times) throw_incomparable(key, lookup);
  auto& valid = validities_.emplace_back((rows_ + 63) / 64, ~std::uint64_t{0});
  const std::size_t width = times ? key.width : sizeof(int128);
  auto& bytes = numbers_.emplace_back(rows_ * width);
  if (is_rounded_point()) units_.resize(rows_);
  for (idx_t row = 0; row < rows_; ++row) {
    std::optional<int128> number;
    if (is_valid(validity, row)) {
      const Units units = units_at(lookup, data, row, key);
      if (is_row_ && units.beyond != 0 && key.has_128_bit_limits()) throw_beyond(key, lookup);
      if (between == Between::reject && units.fraction != 0) throw_between(key, lookup, is_row_);
      inexact_ = inexact_ || !units.exact();
      number = rounded(units, key, between);
      if (!number && purpose_ == Purpose::clamped_point) number = limit_of(key, between);
      if (is_rounded_point()) units_[row] = units;
    }
    if (!number) {
      clear_bit(valid, row);
      continue;
    }
    if (key.id == DUCKDB_TYPE_UHUGEINT) *number ^= uhugeint_bias;
    std::memcpy(bytes.data() + row * width, &*number, width);  // little-endian
  }
  closed_ = purpose_ == Purpose::range;
  const Type type = times || key.has_128_bit_limits() ? key.type
                    : key.id == DUCKDB_TYPE_DECIMAL   ? Type::decimal128
                                                      : Type::i128;
  ColumnView column = ColumnView::of(type, bytes.data(), rows_);
  if (key.unit != TimeUnit::unspecified) column = column.with_time_unit(key.unit);
  if (key.id == DUCKDB_TYPE_DECIMAL) column = column.with_scale(key.scale);
  return column.with_validity(bitmap_of(valid.data()));
}

}  // namespace rtindex::sql
