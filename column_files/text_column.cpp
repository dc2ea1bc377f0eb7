#include "column_files/text_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/types.hpp"
#include "column_files/read_progress.hpp"
#include "column_files/text_values.hpp"

namespace rtindex {

namespace {

// Whether a float equals the number in the text. Integers between two floats or beyond the largest
// do not; fractions are rounded to the nearest float on purpose.
template <class Float>
[[nodiscard]] bool is_exact(std::string_view text, Float number) {
  if (!is_integer_text(text))
    return std::isfinite(number) || text.find_first_of("0123456789") == std::string_view::npos;
  std::string_view digits = trimmed(text);
  const bool negative = digits.front() == '-';
  if (negative || digits.front() == '+') digits.remove_prefix(1);
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return fmt::format("{:.0f}", std::fabs(number)) == digits;
}

// true or false in any case.
std::optional<Bool8> parse_bool_word(std::string_view text) {
  text = trimmed(text);
  const auto is = [&](std::string_view word) {
    return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                      [](char c, char lower) { return (c | 0x20) == lower; });
  };
  if (is("true")) return Bool8{1};
  return is("false") ? std::optional(Bool8{0}) : std::nullopt;
}

std::optional<Bool8> parse_bool(std::string_view text) {
  if (trimmed(text) == "1") return Bool8{1};
  if (trimmed(text) == "0") return Bool8{0};
  return parse_bool_word(text);
}

// An integer, also as pandas writes it in a column with nulls: 7.0.
template <class T>
std::optional<T> parse_whole(std::string_view text) {
  text = trimmed(text);
  const std::size_t point = text.find('.');
  if (point != std::string_view::npos && point != 0 &&
      text.find_first_not_of('0', point + 1) == std::string_view::npos)
    text = text.substr(0, point);
  return parse_number<T>(text);
}

}  // namespace

void TextColumn::close_field() { offsets_.push_back(static_cast<std::int64_t>(bytes_.size())); }

void TextColumn::add(std::string_view field) {
  bytes_.insert(bytes_.end(), field.begin(), field.end());
  close_field();
}

void TextColumn::add_quoted(std::string_view inner) {
  if (inner.empty()) quoted_empty_rows_.push_back(size());
  for (std::size_t i = 0; i < inner.size(); ++i) {
    bytes_.push_back(inner[i]);
    if (inner[i] == '"') ++i;
  }
  close_field();
}

std::string_view TextColumn::field(std::size_t row) const {
  return {bytes_.data() + offsets_[row],
          static_cast<std::size_t>(offsets_[row + 1] - offsets_[row])};
}

std::string_view TextColumn::written(std::size_t row) const {
  const std::string_view text = field(row);
  return written_.empty() ? text : std::string_view(written_.data() + offsets_[row], text.size());
}

void TextColumn::read_decimal_commas() {
  written_ = bytes_;
  for (std::size_t row = 0; row < size(); ++row) {
    if (field(row).find_first_not_of("0123456789+-eE., \t") != std::string_view::npos) continue;
    for (std::int64_t i = offsets_[row]; i < offsets_[row + 1]; ++i) {
      char& c = bytes_[static_cast<std::size_t>(i)];
      if (c == '.' || c == ',') c = c == '.' ? ',' : '.';
    }
  }
}

void TextColumn::mark_nulls(const TextReading& reading, bool as_text) {
  const auto is_null_text = [&](std::string_view text) {
    if (std::find(reading.nulls.begin(), reading.nulls.end(), text) != reading.nulls.end())
      return true;
    if (as_text) return text.empty();
    text = trimmed(text);
    return text.empty() || (reading.from_file && is_null_word(text));
  };
  valid_.clear();
  for (std::size_t row = 0; row < size(); ++row) {
    if (!is_null_text(written(row))) continue;
    if (as_text && field(row).empty() &&
        std::binary_search(quoted_empty_rows_.begin(), quoted_empty_rows_.end(), row))
      continue;
    if (valid_.empty()) valid_.assign((size() + 7) / 8, 0xff);
    valid_[row / 8] = static_cast<std::uint8_t>(valid_[row / 8] & ~(1U << (row % 8)));
  }
}

// False at the first field that is not a T.
template <class T, class Parse>
bool TextColumn::parse_all(const TextReading& reading, LoadedColumn& column, Type type,
                           Parse parse) const {
  RawMemory memory(size() * sizeof(T));
  T* elements = static_cast<T*>(memory.data());
  ReadProgress progress(size());
  for (std::size_t row = 0; row < size(); ++row) {
    progress.reach(row);
    const std::optional<T> element = is_null(row) ? T{} : parse(field(row));
    if (!element && !reading.type.empty())
      fail("{}{}: '{}' is no {}, the --type of column {}: correct it, {}or pass --null '{}'",
           reading.name, reading.where(row), written(row), reading.type, reading.column,
           comma_advice(written(row)), written(row));
    if (!element) return false;
    if constexpr (std::is_floating_point_v<T>)
      if (std::isinf(*element)) require_infinity(row, type, reading);
    elements[row] = *element;
  }
  column = LoadedColumn::numbers(reading.name, type, std::move(memory), size());
  column.set_validity(valid_);
  column.set_remark(remark_on_values(reading));
  return true;
}

template <class T>
bool TextColumn::parse_numbers(const TextReading& reading, LoadedColumn& column) const {
  return parse_all<T>(reading, column, type_of<T>(),
                      [](std::string_view text) { return parse_number<T>(text); });
}

// Integers, also such as 7.0.
template <class T>
bool TextColumn::parse_integers(const TextReading& reading, LoadedColumn& column) const {
  return parse_all<T>(reading, column, type_of<T>(), parse_whole<T>);
}

// In days, or in the unit that the fields need; at least in `unit`.
bool TextColumn::parse_times(const TextReading& reading, LoadedColumn& column,
                             std::string_view unit) const {
  for (std::size_t row = 0; row < size(); ++row) {
    if (is_null(row)) continue;
    const std::optional<TextTime> time = parse_iso_time(field(row));
    if (!time && reading.type.empty()) return false;
    if (!time) break;  // parse_all() names the field
    if (time->nanoseconds % 1000 != 0)
      unit = "ns";
    else if (!time->is_date && unit == "D" && reading.type.empty())
      unit = "us";
  }
  const auto ticks_of = [&](std::string_view text) -> std::optional<std::int64_t> {
    const std::optional<TextTime> time = parse_iso_time(text);
    if (!time) return std::nullopt;
    const std::optional<std::int64_t> ticks = time->ticks(unit);
    if (!ticks && unit == "ns")
      fail(
          "{}: {} does not fit 64-bit nanoseconds (1677 to 2262), the unit of this column: write "
          "at most six decimals, or remove that row",
          reading.name, text);
    return ticks;
  };
  if (!parse_all<std::int64_t>(reading, column, Type::timestamp64, ticks_of)) return false;
  column.set_unit(std::string(unit));
  return true;
}

bool TextColumn::parse_times_like(const TextReading& reading, LoadedColumn& column) const {
  if (reading.like->type() == Type::date32)
    return parse_all<std::int32_t>(reading, column, Type::date32, [](std::string_view text) {
      const std::optional<std::int64_t> days = parse_time(text, "D");
      const auto date = static_cast<std::int32_t>(days.value_or(0));
      return days && date == *days ? std::optional(date) : std::nullopt;
    });
  return reading.like->type() == Type::timestamp64 &&
         parse_all<std::int64_t>(reading, column, Type::timestamp64, [&](std::string_view text) {
           return parse_time(text, reading.like->unit());
         });
}

// The first row whose number is not exact as a Float; size() if all are.
template <class Float>
std::size_t TextColumn::first_inexact() const {
  const auto exact = [&](std::size_t row) {
    const std::optional<Float> number = parse_number<Float>(field(row));
    return is_null(row) || !number || is_exact(field(row), *number);
  };
  std::size_t row = 0;
  while (row < size() && exact(row)) ++row;
  return row;
}

// Numbers to compare with floats; throws if one would be rounded to another integer.
bool TextColumn::parse_floats_like(const TextReading& reading, LoadedColumn& column) const {
  if (reading.like->type() == Type::f32 && first_inexact<float>() == size())
    return parse_numbers<float>(reading, column);
  if (const std::size_t row = first_inexact<double>(); row != size())
    fail("{}: {} in row {} (counted from 0) is not exact as float64: it would become {}",
         reading.name, field(row), row, parse_number<double>(field(row)).value_or(0));
  if (reading.like->type() == Type::f64) return parse_numbers<double>(reading, column);
  return parse_all<double>(reading, column, Type::f64, [](std::string_view text) {
    const std::optional<float> nearest = parse_number<float>(text);
    if (!nearest || is_exact(text, *nearest)) return std::optional<double>(nearest);
    return parse_number<double>(text);
  });
}

bool TextColumn::parse_like(const TextReading& reading, LoadedColumn& column) {
  mark_nulls(reading, false);
  const Type type = reading.like->type();
  if (type == Type::boolean) return parse_all<Bool8>(reading, column, Type::boolean, parse_bool);
  if (is_integer(type))
    return parse_integers<std::int64_t>(reading, column) ||
           parse_integers<std::uint64_t>(reading, column);
  const bool done = type == Type::f32 || type == Type::f64 ? parse_floats_like(reading, column)
                                                           : parse_times_like(reading, column);
  if (done) column.set_unit(reading.like->unit());
  if (!done && reading.like->is_time()) require_ticks_of_like(reading);
  return done;
}

// An integer beside fractions would be rounded.
void TextColumn::require_exact_integers(const Census& census, const TextReading& reading) const {
  for (std::size_t row = 0; row < size(); ++row) {
    if (is_null(row) || !is_integer_text(field(row))) continue;
    if (is_exact(field(row), parse_number<double>(field(row)).value_or(0))) continue;
    if (reading.column.empty())
      fail("{}{}: {} is not exact as float64, which all become because of {}: write integers only",
           reading.name, reading.where(row), trimmed(field(row)),
           trimmed(written(census.first_fraction)));
    fail(
        "{}{}: {} is not exact as float64, the type of column {} because of {}: pass --type "
        "{}:float64 to round it, or --type {}:string",
        reading.name, reading.where(row), trimmed(field(row)), reading.column,
        trimmed(written(census.first_fraction)), reading.column, reading.column);
  }
}

LoadedColumn TextColumn::parse_as_type(const TextReading& reading) {
  if (reading.type == "string") return strings(reading);
  mark_nulls(reading, false);
  LoadedColumn column;
  const auto parsed = [&] {
    if (reading.type == "date") return parse_times(reading, column, "D");
    if (reading.type == "timestamp") return parse_times(reading, column, "us");
    if (reading.type == "bool") return parse_all<Bool8>(reading, column, Type::boolean, parse_bool);
    constexpr std::array numbers = {Type::i8,  Type::i16, Type::i32, Type::i64, Type::u8,
                                    Type::u16, Type::u32, Type::u64, Type::f32, Type::f64};
    for (const Type type : numbers) {
      if (name_of(type) != reading.type) continue;
      return visit_native(type, [&]<class T>() {
        if constexpr (std::is_integral_v<T>) return parse_integers<T>(reading, column);
        if constexpr (std::is_floating_point_v<T>) return parse_numbers<T>(reading, column);
        return false;
      });
    }
    return false;
  };
  if (!parsed())
    fail(
        "invalid --type {}:{}: expected int8 to int64, uint8 to uint64, float32, float64, bool, "
        "date, timestamp or string",
        reading.column, reading.type);
  return column;
}

// Throws if most fields are true or false, but not all.
void TextColumn::require_all_bools(const Census& fields, const TextReading& reading) const {
  if (!reading.from_file) return;
  std::size_t bools = 0;
  std::size_t odd = size();
  for (std::size_t row = 0; row < size(); ++row) {
    if (is_null(row)) continue;
    if (parse_bool_word(field(row)))
      ++bools;
    else
      odd = std::min(odd, row);
  }
  if (2 * bools <= fields.all()) return;
  fail(
      "{}{}: '{}' is neither true nor false, but {} of {} fields of column {} are: correct it, "
      "pass --null '{}' if it means that there is no value, or --type {}:string to read all of "
      "them as text",
      reading.name, reading.where(odd), written(odd), bools, fields.all(), reading.column,
      written(odd), reading.column);
}

LoadedColumn TextColumn::inferred(const TextReading& reading) {
  mark_nulls(reading, false);
  const Census fields = census();
  LoadedColumn column;
  const bool wants_text = reading.like != nullptr && reading.like->type() == Type::string;
  if (!wants_text && (fields.all() != 0 || fields.null_words == 0)) {
    if (fields.numbers() == fields.all()) {
      if (parse_numbers<std::int64_t>(reading, column)) return column;
      if (parse_numbers<std::uint64_t>(reading, column)) return column;
      if (fields.fractions == 0)
        require_integers_that_fit(reading);
      else
        require_exact_integers(fields, reading);
      if (parse_numbers<double>(reading, column)) return column;
    }
    if (parse_times(reading, column)) return column;
    if (reading.like == nullptr && fields.texts != 0) {
      if (parse_all<Bool8>(reading, column, Type::boolean, parse_bool_word)) return column;
      require_all_bools(fields, reading);
    }
    require_one_kind(fields, reading);
  }
  column = strings(reading);
  if (reading.from_file && !wants_text)
    column.set_inferred_text(InferredText{reading.column, fields.sample, reading.decimal});
  if (reading.like == nullptr) column.set_remark(remark_on_strings(fields, reading));
  return column;
}

LoadedColumn TextColumn::strings(const TextReading& reading) {
  if (!written_.empty()) bytes_ = std::exchange(written_, {});
  mark_nulls(reading, true);
  LoadedColumn column = LoadedColumn::strings(reading.name, std::move(bytes_), std::move(offsets_));
  column.set_validity(std::move(valid_));
  return column;
}

LoadedColumn TextColumn::finish(const TextReading& reading) && {
  if (reading.decimal == ',') read_decimal_commas();
  if (!reading.type.empty()) return parse_as_type(reading);
  LoadedColumn column;
  if (reading.like != nullptr && parse_like(reading, column)) return column;
  return inferred(reading);
}

}  // namespace rtindex
