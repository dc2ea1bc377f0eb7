#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

// Numbers, dates and times as text.

namespace rtindex {

[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) {
  constexpr std::string_view spaces = " \t";
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

// Parses the whole text except surrounding spaces; nothing if it is not a T.
template <class T>
[[nodiscard]] std::optional<T> parse_number(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  T number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (stop != end || text.empty()) return std::nullopt;
  if (error == std::errc()) return number;
  if constexpr (std::floating_point<T>) {
    // Out of range: infinity or zero, as the standard library rounds it.
    if (error == std::errc::result_out_of_range) {
      const std::string copy(text);
      if constexpr (sizeof(T) == sizeof(float)) return std::strtof(copy.c_str(), nullptr);
      return std::strtod(copy.c_str(), nullptr);
    }
  }
  return std::nullopt;
}

// Whether the text is an integer of any size.
[[nodiscard]] constexpr bool is_integer_text(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Whether the text is an address of IPv6; those of devices (00:1a:2b:...) have two digits a group.
[[nodiscard]] bool is_ipv6_text(std::string_view text);

// A number, an amount, a date, a time or an address in any notation: "1,234.5", "9,50 €",
// "EUR 12", "12 km", "31/01/2024", "9:30 AM", "5-Jan-24", "10.0.0.1", "2001:db8::1".
[[nodiscard]] bool looks_like_a_value(std::string_view text);

// Whether the text is a number once its decimal comma is a point.
[[nodiscard]] inline bool has_decimal_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || text.find('.') != std::string_view::npos) return false;
  std::string pointed(text);
  pointed[comma] = '.';
  return parse_number<double>(pointed).has_value();
}

// For messages about a text that is no number.
[[nodiscard]] inline const char* comma_advice(std::string_view text) {
  return has_decimal_comma(text) ? "pass --decimal , if its comma is a decimal point, " : "";
}

// Whether files write this for a missing number or time.
[[nodiscard]] constexpr bool is_null_word(std::string_view text) {
  constexpr std::string_view words[] = {"NULL", "NA", "N/A", "null", "NaN", "nan", "-nan"};
  return std::ranges::find(words, text) != std::end(words);
}

// A date or a point in time in ISO 8601.
struct TextTime {
  std::int64_t days;         // since 1970-01-01
  std::int64_t nanoseconds;  // since midnight
  bool is_date;              // without a time of day

  // In a unit of NumPy's datetime64 ("D", "h", "m", "s", "ms", "us", "ns"). Nothing if the time
  // lies between two ticks or does not fit 64 bits.
  [[nodiscard]] std::optional<std::int64_t> ticks(std::string_view unit) const;
};

// 2024-01-31, 2024-01-31T12:30, 2024-01-31 12:30:05.25; a Z or an offset from UTC, such as +02:00,
// may follow a time. Nothing for any other text.
[[nodiscard]] std::optional<TextTime> parse_iso_time(std::string_view text);

// Parses such a date or time. A number of ticks is read where time_text() writes it, because the
// unit has no such form or the year has not four digits.
[[nodiscard]] std::optional<std::int64_t> parse_time(std::string_view text, std::string_view unit);

// A tick in ISO 8601: "2024-01-31T12:30:05.250000" in microseconds. The number itself if the unit
// is unknown or the year is not in 0 to 9999.
[[nodiscard]] std::string time_text(std::int64_t ticks, std::string_view unit);

// The valid texts of a time in this unit, for the end of a message.
[[nodiscard]] std::string time_forms(std::string_view unit);

}  // namespace rtindex
