#include "column_files/text_values.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>

#include "base/timestamp_text.hpp"

namespace rtindex {

namespace {

using Nanoseconds = std::int64_t;

constexpr Nanoseconds second = 1'000'000'000;
constexpr Nanoseconds day = 86'400 * second;

struct Unit {
  std::string_view name;
  Nanoseconds length;
  std::string_view words, example;
  TimeUnit unit;
};

constexpr std::array<Unit, 7> units = {
    {{"D", day, "days", "2024-01-31", TimeUnit::day},
     {"h", 3600 * second, "hours", "2024-01-31T12:00", TimeUnit::hour},
     {"m", 60 * second, "minutes", "2024-01-31T12:30", TimeUnit::minute},
     {"s", second, "seconds", "2024-01-31T12:30:05", TimeUnit::second},
     {"ms", 1'000'000, "milliseconds", "2024-01-31T12:30:05.250", TimeUnit::millisecond},
     {"us", 1'000, "microseconds", "2024-01-31T12:30:05.25", TimeUnit::microsecond},
     {"ns", 1, "nanoseconds", "2024-01-31T12:30:05.25", TimeUnit::nanosecond}}};

const Unit* unit_named(std::string_view name) {
  for (const Unit& unit : units)
    if (unit.name == name) return &unit;
  return nullptr;
}

// Parses `digits` digits at the front of the text, and removes them.
std::optional<int> parse_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int number = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = 10 * number + (c - '0');
  }
  text.remove_prefix(digits);
  return number;
}

bool skip(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::int64_t> parse_days(std::string_view& text) {
  const auto year = parse_digits(text, 4);
  if (!year || !skip(text, "-")) return std::nullopt;
  const auto month = parse_digits(text, 2);
  if (!month || !skip(text, "-")) return std::nullopt;
  const auto day_of_month = parse_digits(text, 2);
  if (!day_of_month) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day_of_month))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

std::optional<Nanoseconds> parse_fraction(std::string_view& text) {
  Nanoseconds fraction = 0;
  Nanoseconds digit_worth = second;
  while (const auto digit = parse_digits(text, 1)) {
    digit_worth /= 10;
    if (digit_worth == 0) return std::nullopt;
    fraction += *digit * digit_worth;
  }
  if (digit_worth == second) return std::nullopt;
  return fraction;
}

std::optional<Nanoseconds> parse_time_of_day(std::string_view& text) {
  const auto hour = parse_digits(text, 2);
  if (!hour || *hour > 23 || !skip(text, ":")) return std::nullopt;
  const auto minute = parse_digits(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  Nanoseconds time = (*hour * std::int64_t{60} + *minute) * 60 * second;
  if (!skip(text, ":")) return time;
  const auto seconds = parse_digits(text, 2);
  if (!seconds || *seconds > 59) return std::nullopt;
  time += *seconds * second;
  if (!skip(text, ".")) return time;
  const auto fraction = parse_fraction(text);
  if (!fraction) return std::nullopt;
  return time + *fraction;
}

// An optional offset from UTC: Z, +02, +0200 or -05:30. Nothing if it is broken.
std::optional<Nanoseconds> parse_offset(std::string_view& text) {
  if (text.empty() || skip(text, "Z")) return 0;
  const std::int64_t sign = text.front() == '-' ? -1 : 1;
  if (!skip(text, "+-")) return std::nullopt;
  const auto hours = parse_digits(text, 2);
  if (!hours || *hours > 23) return std::nullopt;
  const bool colon = skip(text, ":");
  if (text.empty() && !colon) return sign * *hours * 3600 * second;
  const auto minutes = parse_digits(text, 2);
  if (!minutes || *minutes > 59) return std::nullopt;
  return sign * (*hours * std::int64_t{60} + *minutes) * 60 * second;
}

// Makes the time one of UTC.
void subtract(TextTime& time, Nanoseconds offset) {
  time.nanoseconds -= offset;
  const std::int64_t days = time.nanoseconds < 0 ? -1 : time.nanoseconds / day;
  time.days += days;
  time.nanoseconds -= days * day;
}

}  // namespace

std::optional<TextTime> parse_iso_time(std::string_view text) {
  text = trimmed(text);
  const auto days = parse_days(text);
  if (!days) return std::nullopt;
  TextTime time{*days, 0, true};
  if (skip(text, "T ")) {
    const auto time_of_day = parse_time_of_day(text);
    if (!time_of_day) return std::nullopt;
    time.nanoseconds = *time_of_day;
    time.is_date = false;
    const auto offset = parse_offset(text);
    if (!offset) return std::nullopt;
    subtract(time, *offset);
  } else {
    skip(text, "Z");
  }
  if (!text.empty()) return std::nullopt;
  return time;
}

std::optional<std::int64_t> TextTime::ticks(std::string_view unit) const {
  const Unit* known = unit_named(unit);
  if (known == nullptr || nanoseconds % known->length != 0) return std::nullopt;
  // Before 1970, counted from the end of the day: its start could overflow, the time does not.
  const std::int64_t from_day = days < 0 ? days + 1 : days;
  const Nanoseconds rest = days < 0 ? nanoseconds - day : nanoseconds;
  std::int64_t ticks = 0;
  if (__builtin_mul_overflow(from_day, day / known->length, &ticks) ||
      __builtin_add_overflow(ticks, rest / known->length, &ticks))
    return std::nullopt;
  return ticks;
}

std::optional<std::int64_t> parse_time(std::string_view text, std::string_view unit) {
  if (const auto ticks = parse_number<std::int64_t>(text)) return ticks;
  const auto time = parse_iso_time(text);
  return time ? time->ticks(unit) : std::nullopt;
}

std::string time_text(std::int64_t ticks, std::string_view unit) {
  const Unit* known = unit_named(unit);
  return timestamp_text(ticks, known == nullptr ? TimeUnit::unspecified : known->unit);
}

std::string time_forms(std::string_view unit) {
  const Unit* known = unit_named(unit);
  if (known == nullptr) return "write the number of ticks (of an unknown unit)";
  return fmt::format("write a {} such as {}, or the number of {} since 1970-01-01",
                     unit == "D" ? "date" : "date or time", known->example, known->words);
}

}  // namespace rtindex
