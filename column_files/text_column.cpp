#include "column_files/text_column.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/types.hpp"
#include "column_files/text_values.hpp"

namespace rtindex {

void TextColumn::close_field() { offsets_.push_back(static_cast<std::int64_t>(bytes_.size())); }

void TextColumn::add(std::string_view field) {
  if (field.empty()) empty_rows_.push_back(size());
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

std::vector<std::uint8_t> TextColumn::validity(bool quoted_empty_is_null) const {
  std::vector<std::uint8_t> bitmap;
  auto clear = [&](const std::vector<std::size_t>& rows) {
    if (bitmap.empty() && !rows.empty()) bitmap.assign((size() + 7) / 8, 0xff);
    for (const std::size_t row : rows)
      bitmap[row / 8] = static_cast<std::uint8_t>(bitmap[row / 8] & ~(1U << (row % 8)));
  };
  clear(empty_rows_);
  if (quoted_empty_is_null) clear(quoted_empty_rows_);
  return bitmap;
}

template <class T, class Parse>
bool TextColumn::parse_all(std::string& name, LoadedColumn& column, Type type, Parse parse) {
  RawMemory memory(size() * sizeof(T));
  T* elements = static_cast<T*>(memory.data());
  for (std::size_t row = 0; row < size(); ++row) {
    const std::string_view text = field(row);
    const std::optional<T> element = text.empty() ? T{} : parse(text);
    if (!element) return false;
    elements[row] = *element;
  }
  column = LoadedColumn::numbers(std::move(name), type, std::move(memory), size());
  column.set_validity(validity(true));
  return true;
}

template <class T>
bool TextColumn::parse_numbers(std::string& name, LoadedColumn& column) {
  return parse_all<T>(name, column, type_of<T>(),
                      [](std::string_view text) { return parse_number<T>(text); });
}

bool TextColumn::parse_times(std::string& name, LoadedColumn& column) {
  std::string_view unit = "D";
  for (std::size_t row = 0; row < size(); ++row) {
    if (field(row).empty()) continue;
    const std::optional<TextTime> time = parse_iso_time(field(row));
    if (!time) return false;
    if (time->nanoseconds % 1000 != 0)
      unit = "ns";
    else if (!time->is_date && unit == "D")
      unit = "us";
  }
  const auto ticks_of = [&](std::string_view text) {
    const std::optional<std::int64_t> ticks = parse_iso_time(text)->ticks(unit);
    if (!ticks)
      fail(
          "{}: {} does not fit 64-bit nanoseconds (1677 to 2262), the unit of this column: write "
          "at most six decimals, or remove that row",
          name, text);
    return ticks;
  };
  if (!parse_all<std::int64_t>(name, column, Type::timestamp64, ticks_of)) return false;
  column.set_unit(std::string(unit));
  return true;
}

bool TextColumn::parse_times_like(std::string& name, LoadedColumn& column,
                                  const LoadedColumn& like) {
  if (like.type() == Type::date32)
    return parse_all<std::int32_t>(name, column, Type::date32, [](std::string_view text) {
      const std::optional<std::int64_t> days = parse_time(text, "D");
      const auto date = static_cast<std::int32_t>(days.value_or(0));
      return days && date == *days ? std::optional(date) : std::nullopt;
    });
  return like.type() == Type::timestamp64 &&
         parse_all<std::int64_t>(name, column, Type::timestamp64, [&](std::string_view text) {
           return parse_time(text, like.unit());
         });
}

std::string TextColumn::odd_time() const {
  bool times = false;
  for (std::size_t row = 0; row < size(); ++row) {
    if (field(row).empty()) continue;
    if (!parse_iso_time(field(row)))
      return times ? fmt::format(
                         "'{}' in row {} (counted from 0) is not a date or time: read as strings",
                         field(row), row)
                   : "";
    times = true;
  }
  return "";
}

// Times between two ticks of `like` would be read as another type, with a misleading message.
void TextColumn::require_ticks_of(const LoadedColumn& like, const std::string& name) const {
  for (std::size_t row = 0; row < size(); ++row)
    if (parse_iso_time(field(row)) && !parse_time(field(row), like.tick()))
      fail("{}: {} cannot be represented as {}, the type of {}: {}", name, field(row),
           like.type_text(), like.name(), time_forms(like.tick()));
}

// Integers beyond 64 bits would lose digits as float64 and compare wrongly.
void TextColumn::require_integers_that_fit(const std::string& name) const {
  std::size_t too_large = size();
  for (std::size_t row = 0; row < size(); ++row) {
    const std::string_view text = field(row);
    if (text.empty()) continue;
    if (!is_integer_text(text)) return;
    if (!parse_number<std::int64_t>(text)) too_large = row;
  }
  if (too_large != size())
    fail(
        "{}: no 64-bit type fits all integers, such as {} in row {} (counted from 0): split the "
        "column, or write one integer with a decimal point to round all of them to float64",
        name, field(too_large), too_large);
}

// Whether a float equals the number in the text. Integers between two floats or beyond the largest
// do not; fractions are rounded to the nearest float on purpose.
template <class Float>
[[nodiscard]] bool is_exact(std::string_view text, Float number) {
  // A long double holds all integers of 64 bits.
  const auto is = [&](auto integer) {
    return static_cast<long double>(number) == static_cast<long double>(integer);
  };
  if (const auto integer = parse_number<std::int64_t>(text)) return is(*integer);
  if (const auto integer = parse_number<std::uint64_t>(text)) return is(*integer);
  return std::isfinite(number) || text.find_first_of("0123456789") == std::string_view::npos;
}

// The first row whose number is not exact as a Float; size() if all are.
template <class Float>
std::size_t TextColumn::first_inexact() const {
  std::size_t row = 0;
  while (row < size() && is_exact(field(row), parse_number<Float>(field(row)).value_or(0))) ++row;
  return row;
}

// Numbers to compare with floats; throws if one would be rounded to another integer.
bool TextColumn::parse_floats_like(std::string& name, LoadedColumn& column,
                                   const LoadedColumn& like) {
  if (like.type() == Type::f32 && first_inexact<float>() == size())
    return parse_numbers<float>(name, column);
  if (const std::size_t row = first_inexact<double>(); row != size())
    fail("{}: {} in row {} (counted from 0) is not exact as float64: it would become {}", name,
         field(row), row, parse_number<double>(field(row)).value_or(0));
  if (like.type() == Type::f64) return parse_numbers<double>(name, column);
  return parse_all<double>(name, column, Type::f64, [](std::string_view text) {
    const std::optional<float> nearest = parse_number<float>(text);
    if (!nearest || is_exact(text, *nearest)) return std::optional<double>(nearest);
    return parse_number<double>(text);
  });
}

LoadedColumn TextColumn::finish(std::string name, const LoadedColumn* like) && {
  LoadedColumn column;
  if (like != nullptr) {
    const bool is_float = like->type() == Type::f32 || like->type() == Type::f64;
    const bool done =
        is_float ? parse_floats_like(name, column, *like) : parse_times_like(name, column, *like);
    if (done) {
      column.set_unit(like->unit());
      return column;
    }
    if (like->is_time()) require_ticks_of(*like, name);
  }
  if (like == nullptr || like->type() != Type::string) {
    if (parse_numbers<std::int64_t>(name, column)) return column;
    if (parse_numbers<std::uint64_t>(name, column)) return column;
    require_integers_that_fit(name);
    if (parse_numbers<double>(name, column)) return column;
    if (parse_times(name, column)) return column;
  }
  std::vector<std::uint8_t> bitmap = validity(false);
  std::string remark = like == nullptr ? odd_time() : "";
  column = LoadedColumn::strings(std::move(name), std::move(bytes_), std::move(offsets_));
  column.set_validity(std::move(bitmap));
  column.set_remark(std::move(remark));
  return column;
}

}  // namespace rtindex
