#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rtindex {

// A date, or a point in time, as ISO 8601 spells it.
struct TextTime {
  std::int64_t days;         // since 1970-01-01
  std::int64_t nanoseconds;  // since midnight
  bool is_date;              // no time of day was given

  // In a unit of NumPy's datetime64 ("D", "h", "m", "s", "ms", "us", "ns"). None where it falls
  // between two ticks, or beyond 64 bits.
  [[nodiscard]] std::optional<std::int64_t> ticks(std::string_view unit) const;
};

// 2024-01-31, 2024-01-31T12:30, 2024-01-31 12:30:05.25; a Z may follow. None for any other text.
[[nodiscard]] std::optional<TextTime> parse_iso_time(std::string_view text);

// The tick that a text names: such a date or time, or the number of ticks itself.
[[nodiscard]] std::optional<std::int64_t> parse_time(std::string_view text, std::string_view unit);

// A tick as ISO 8601 spells it, to be read again: "2024-01-31T12:30:05.250000" in microseconds. The
// number itself where the unit or the year (beyond 0 to 9999) has no such form.
[[nodiscard]] std::string time_text(std::int64_t ticks, std::string_view unit);

// What a user can write for a time in this unit, for the end of a message.
[[nodiscard]] std::string time_forms(std::string_view unit);

}  // namespace rtindex
