#include "keys.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include <rtindex/error.hpp>

namespace rtindex::sql {

namespace {

// Arrow's bitmaps are bytes: on little-endian machines the bits of words are in the same order.
const std::uint8_t* bitmap_of(const std::uint64_t* validity) {
  return reinterpret_cast<const std::uint8_t*>(validity);
}

template <class T>
void append_scaled(std::vector<double>& values, const void* data, idx_t rows, double divisor) {
  const auto* elements = static_cast<const T*>(data);
  for (idx_t row = 0; row < rows; ++row)
    values.push_back(static_cast<double>(elements[row]) / divisor);
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

std::span<const idx_t> all_rows(idx_t count) {
  thread_local std::vector<idx_t> rows;
  for (idx_t row = rows.size(); row < count; ++row) rows.push_back(row);
  return std::span(rows).first(count);
}

LookupKeys::LookupKeys(duckdb_data_chunk chunk, idx_t first, idx_t count,
                       std::span<const KeyType> key_parts)
    : rows_(duckdb_data_chunk_get_size(chunk)) {
  if (count == 0 || count > key_parts.size())
    throw Error("the index has keys of type " + text_of(key_parts) + ": pass " +
                (key_parts.size() == 1
                     ? "one key"
                     : "1 to " + std::to_string(key_parts.size()) + " parts of a key") +
                ", not " + std::to_string(count));
  std::vector<ColumnView> parts;
  for (idx_t i = 0; i < count; ++i)
    parts.push_back(part(duckdb_data_chunk_get_vector(chunk, first + i), key_parts[i]));
  if (all_null_) return;
  column_ = key_parts.size() == 1 ? parts.front() : ColumnView::composite(std::move(parts));
}

ColumnView LookupKeys::part(duckdb_vector vector, const KeyType& key) {
  const LogicalType type(duckdb_vector_get_column_type(vector));
  const std::uint64_t* validity = duckdb_vector_get_validity(vector);
  const duckdb_type id = duckdb_get_type_id(type.get());
  if (id == DUCKDB_TYPE_SQLNULL) {
    all_null_ = true;
    return {};
  }
  ColumnView column;
  if ((key.type == Type::f32 || key.type == Type::f64) && id != DUCKDB_TYPE_FLOAT &&
      id != DUCKDB_TYPE_DOUBLE) {
    const double* values = doubles(vector, type.get());
    if (key.type == Type::f32) {  // SQL compares a FLOAT with an integer as FLOATs
      floats_.emplace_back(values, values + rows_);
      column = ColumnView(floats_.back());
    } else {
      column = ColumnView(std::span(values, rows_));
    }
  } else {
    const KeyType& lookup = key_type(type.get());
    const bool texts = lookup.type == Type::string;
    if (lookup.type != key.type && (texts || key.type == Type::string))
      throw Error(std::string("the index has keys of type ") + key.name + ", the lookup is a " +
                  lookup.name + ": cast it to " + key.name);
    const void* data = duckdb_vector_get_data(vector);
    column = texts ? strings(static_cast<const duckdb_string_t*>(data), validity)
                   : ColumnView::of(lookup.type, data, rows_);
    if (lookup.unit != TimeUnit::unspecified) column = column.with_time_unit(lookup.unit);
  }
  return validity == nullptr ? column : column.with_validity(bitmap_of(validity));
}

ColumnView LookupKeys::strings(const duckdb_string_t* strings, const std::uint64_t* validity) {
  auto& views = strings_.emplace_back(rows_);
  for (idx_t row = 0; row < rows_; ++row)
    if (is_valid(validity, row)) views[row] = text_of(strings[row]);
  return views;
}

const double* LookupKeys::doubles(duckdb_vector vector, duckdb_logical_type type) {
  const void* data = duckdb_vector_get_data(vector);
  auto& values = doubles_.emplace_back();
  values.reserve(rows_);
  duckdb_type id = duckdb_get_type_id(type);
  double divisor = 1;
  if (id == DUCKDB_TYPE_DECIMAL) {
    id = duckdb_decimal_internal_type(type);
    divisor = std::pow(10, duckdb_decimal_scale(type));
  }
  switch (id) {
    case DUCKDB_TYPE_TINYINT: append_scaled<std::int8_t>(values, data, rows_, divisor); break;
    case DUCKDB_TYPE_SMALLINT: append_scaled<std::int16_t>(values, data, rows_, divisor); break;
    case DUCKDB_TYPE_INTEGER: append_scaled<std::int32_t>(values, data, rows_, divisor); break;
    case DUCKDB_TYPE_BIGINT: append_scaled<std::int64_t>(values, data, rows_, divisor); break;
    case DUCKDB_TYPE_UTINYINT: append_scaled<std::uint8_t>(values, data, rows_, divisor); break;
    case DUCKDB_TYPE_USMALLINT: append_scaled<std::uint16_t>(values, data, rows_, divisor); break;
    case DUCKDB_TYPE_UINTEGER: append_scaled<std::uint32_t>(values, data, rows_, divisor); break;
    case DUCKDB_TYPE_UBIGINT: append_scaled<std::uint64_t>(values, data, rows_, divisor); break;
    default: throw Error("the index has keys of type DOUBLE or FLOAT: cast the lookup to DOUBLE");
  }
  return values.data();
}

}  // namespace rtindex::sql
