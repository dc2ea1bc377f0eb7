#include "column_files/text_values.hpp"

#include <fmt/format.h>

#include <algorithm>
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
  std::string_view example;
  TimeUnit unit;
};

constexpr std::array<Unit, 7> units = {
    {{"D", day, "2024-01-31", TimeUnit::day},
     {"h", 3600 * second, "2024-01-31T12:00", TimeUnit::hour},
     {"m", 60 * second, "2024-01-31T12:30", TimeUnit::minute},
     {"s", second, "2024-01-31T12:30:05", TimeUnit::second},
     {"ms", 1'000'000, "2024-01-31T12:30:05.250", TimeUnit::millisecond},
     {"us", 1'000, "2024-01-31T12:30:05.25", TimeUnit::microsecond},
     {"ns", 1, "2024-01-31T12:30:05.25", TimeUnit::nanosecond}}};

constexpr std::string_view decimal_digits = "0123456789";

bool is_digit(char c) { return decimal_digits.find(c) != std::string_view::npos; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_beyond_ascii(char c) { return (c & 0x80) != 0; }

// Removes what numbers are written after: signs, brackets, symbols, or the code of a currency.
void skip_before_number(std::string_view& text) {
  constexpr std::string_view currencies[] = {
      "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF",
      "CAD", "AUD", "NZD", "BRL", "MXN", "ZAR", "TRY", "US$", "R$",  "Fr.", "Rs",  "kr",  "No"};
  const auto skip_symbols = [&] {
    while (!text.empty() && !is_letter(text.front()) && !is_digit(text.front()))
      text.remove_prefix(1);
  };
  skip_symbols();
  for (const std::string_view currency : currencies) {
    if (!text.starts_with(currency)) continue;
    text.remove_prefix(currency.size());
    return skip_symbols();
  }
}

// Whether the text has no words but those of dates and times.
bool has_words_of_times_alone(std::string_view text) {
  constexpr std::string_view words[] = {
      "jan",       "feb",      "mar",      "apr",      "may",    "jun",     "jul",
      "aug",       "sep",      "sept",     "oct",      "nov",    "dec",     "januar",
      "februar",   "mai",      "juni",     "juli",     "okt",    "dez",     "january",
      "february",  "march",    "april",    "june",     "july",   "august",  "october",
      "oktober",   "november", "december", "dezember", "mon",    "tue",     "wed",
      "thu",       "fri",      "sat",      "sun",      "monday", "tuesday", "wednesday",
      "september", "thursday", "friday",   "saturday", "sunday", "pm",      "am",
      "utc",       "gmt",      "uhr",      "cet",      "cest"};
  constexpr std::string_view after_digits[] = {"t", "z", "h", "st", "nd", "rd", "th"};
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (is_letter(text[i]) || is_beyond_ascii(text[i]))) {
      word += static_cast<char>(text[i] | 0x20);  // in lower case
      continue;
    }
    if (word.empty()) continue;
    const std::size_t first = i - word.size();
    const bool is_known = std::ranges::find(words, word) != std::end(words) ||
                          (first != 0 && is_digit(text[first - 1]) &&
                           std::ranges::find(after_digits, word) != std::end(after_digits));
    if (!is_known) return false;
    word.clear();
  }
  return true;
}

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

bool is_ipv6_text(std::string_view text) {
  if (text.find_first_not_of("0123456789abcdefABCDEF:./") != std::string_view::npos) return false;
  if (text.find("::") != std::string_view::npos) return true;
  return std::ranges::count(text, ':') == 7 && text.size() != 8 * 2 + 7;
}

bool looks_like_a_value(std::string_view text) {
  if (text.find_first_of(decimal_digits) == std::string_view::npos) return false;
  if (is_ipv6_text(text) || has_words_of_times_alone(text)) return true;
  skip_before_number(text);
  if (text.empty() || is_letter(text.front())) return false;
  const std::size_t end = text.find_last_of(decimal_digits) + 1;
  const auto is_of_number = [](char c) {
    return is_beyond_ascii(c) ||
           std::string_view("0123456789+-.,/:' %$()").find(c) != std::string_view::npos;
  };
  // A unit follows: a few letters, of which those beyond ASCII have one byte that begins them.
  const auto is_of_unit = [](char c) { return is_letter(c) || (c & 0xc0) == 0xc0; };
  return std::all_of(text.begin(), text.begin() + end, is_of_number) &&
         std::count_if(text.begin() + end, text.end(), is_of_unit) <= 4;
}

std::optional<std::int64_t> parse_time(std::string_view text, std::string_view unit) {
  if (const auto ticks = parse_number<std::int64_t>(text)) {
    // Eight digits are meant as 20240131.
    const bool is_tick = parse_number<std::int64_t>(time_text(*ticks, unit)) &&
                         (unit != "D" || trimmed(text).size() != 8);
    return is_tick ? ticks : std::nullopt;
  }
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
  return fmt::format("write a {} such as {}", unit == "D" ? "date" : "date or time",
                     known->example);
}

}  // namespace rtindex
