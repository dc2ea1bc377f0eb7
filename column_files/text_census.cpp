// What the fields of a TextColumn are, and the messages about those that do not fit together.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "column_files/read_progress.hpp"
#include "column_files/text_column.hpp"
#include "column_files/text_values.hpp"

namespace rtindex {

namespace {

bool is_infinity(std::string_view text) {
  const std::optional<double> number = parse_number<double>(text);
  return number && std::isinf(*number) &&
         text.find_first_of("0123456789") == std::string_view::npos;
}

// Before a note on a column of a file.
std::string prefix_of(const TextReading& reading) {
  return reading.column.empty() ? "" : fmt::format("column {}: ", reading.column);
}

bool has_leading_zero(std::string_view text) {
  text = trimmed(text);
  return text.size() > 1 && text.front() == '0' && is_integer_text(text);
}

}  // namespace

TextColumn::Census TextColumn::census() const {
  Census fields;
  ReadProgress progress(size());
  for (std::size_t row = 0; row < size(); ++row) {
    progress.reach(row);
    const std::string_view text = field(row);
    if (is_null(row)) {
      if (is_null_word(trimmed(text))) ++fields.null_words;
      continue;
    }
    if (is_integer_text(text)) {
      if (fields.numbers() == 0) fields.first_number = row;
      ++fields.integers;
    } else if (parse_number<double>(text)) {
      if (fields.numbers() == 0) fields.first_number = row;
      if (fields.fractions++ == 0) fields.first_fraction = row;
      if (is_infinity(text)) ++fields.infinities;
    } else if (parse_iso_time(text)) {
      if (fields.times++ == 0) fields.first_time = row;
    } else if (fields.texts++ == 0) {
      fields.first_text = row;
      fields.sample = written(row);
    }
  }
  return fields;
}

// Throws if most fields are numbers or times, but not all.
void TextColumn::require_one_kind(const Census& fields, const TextReading& reading) const {
  if (!reading.from_file) return;
  // Beside times, infinities do not make a column of numbers.
  const std::size_t finite = fields.numbers() - fields.infinities;
  const bool numbers = fields.times == 0 || finite >= fields.times;
  const std::size_t most = numbers ? fields.numbers() : fields.times;
  if (most == 0 || 2 * (fields.numbers() + fields.times) < fields.all()) return;
  std::size_t odd = fields.texts != 0 ? fields.first_text : size();
  if (numbers ? fields.times != 0 : fields.numbers() != 0)
    odd = std::min(odd, numbers ? fields.first_time : fields.first_number);
  if (!numbers && is_infinity(field(odd)))
    fail(
        "{}{}: dates and times have no '{}', as in column {}: write one beyond all others, such as "
        "9999-12-31, or pass --null '{}' to read such rows as nulls",
        reading.name, reading.where(odd), field(odd), reading.column, field(odd));
  fail(
      "{}{}: '{}' is not a {}, but {} of {} fields of column {} are: correct it, {}pass --null "
      "'{}' if it means that there is no value, or --type {}:string to read all of them as text",
      reading.name, reading.where(odd), written(odd),
      numbers ? "number" : "date or time in ISO 8601", most, fields.all(), reading.column,
      comma_advice(written(odd)), written(odd), reading.column);
}

// Throws unless an infinite number is written so, and not as a number beyond the type.
void TextColumn::require_infinity(std::size_t row, Type type, const TextReading& reading) const {
  if (is_infinity(field(row))) return;
  fail("{}{}: {} is beyond the range of {}: correct it, or write inf", reading.name,
       reading.where(row), trimmed(written(row)), name_of(type));
}

// Integers beyond 64 bits would lose digits as float64 and compare wrongly.
void TextColumn::require_integers_that_fit(const TextReading& reading) const {
  std::size_t too_large = size();
  for (std::size_t row = 0; row < size(); ++row)
    if (!is_null(row) && !parse_number<std::int64_t>(field(row))) too_large = row;
  if (too_large == size()) return;
  const std::string_view text = trimmed(field(too_large));
  if (!reading.from_file) fail("{}: {} does not fit an integer of 64 bits", reading.name, text);
  fail(
      "{}{}: no 64-bit type fits all integers, such as {}: pass --type {}:float64 to round them, "
      "or "
      "--type {}:string where no order is needed, because 10 comes before 9 in text; from Python, "
      "integers of 128 bits are keys",
      reading.name, reading.where(too_large), text, reading.column, reading.column);
}

// Numbers, and times between two ticks of `like`, would be read as another type, with a misleading
// message.
void TextColumn::require_ticks_of_like(const TextReading& reading) const {
  const LoadedColumn& like = *reading.like;
  for (std::size_t row = 0; row < size(); ++row)
    if (!is_null(row) && (parse_iso_time(field(row)) || is_integer_text(field(row))) &&
        !parse_time(field(row), like.tick()))
      fail("{}{}: {} cannot be represented as {}, the type of {}: {}", reading.name,
           reading.where(row), field(row), like.type_text(), like.name(), time_forms(like.tick()));
}

std::string TextColumn::remark_on_values(const TextReading& reading) const {
  std::size_t nulls = 0;
  std::size_t zeros = size();
  for (std::size_t row = 0; row < size(); ++row) {
    if (is_null(row))
      ++nulls;
    else if (zeros == size() && has_leading_zero(field(row)))
      zeros = row;
  }
  std::string remark;
  if (nulls != 0)
    remark = fmt::format("{}{} of {} fields are null", prefix_of(reading), nulls, size());
  if (zeros == size() || !reading.from_file || !reading.type.empty()) return remark;
  return fmt::format("{}{}'{}' is read as a number: --type {}:string keeps its zeros", remark,
                     remark.empty() ? "" : "; ", field(zeros), reading.column);
}

std::string TextColumn::remark_on_strings(const Census& fields, const TextReading& reading) {
  const std::size_t values = fields.numbers() + fields.times;
  if (values != 0)
    return fmt::format("{} of {} fields are numbers or times: column {} is read as strings", values,
                       fields.all(), reading.column);
  if (!looks_like_a_value(fields.sample)) return "";
  return fmt::format("{}'{}' is read as text: {}", prefix_of(reading), fields.sample,
                     has_decimal_comma(fields.sample)
                         ? "pass --decimal , if its comma is a decimal point"
                         : "numbers are written as 1234.5, times as 2024-01-31T12:30");
}

}  // namespace rtindex
