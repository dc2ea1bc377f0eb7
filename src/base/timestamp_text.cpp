#include "base/timestamp_text.hpp"

#include <fmt/format.h>

#include <chrono>

namespace rtindex {

namespace {

constexpr std::int64_t ns_per_second = 1'000'000'000;
constexpr std::int64_t ns_per_day = 86'400 * ns_per_second;

// How many nanoseconds a tick has; 0 without a unit.
std::int64_t length_of(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::day: return ns_per_day;
    case TimeUnit::hour: return 3600 * ns_per_second;
    case TimeUnit::minute: return 60 * ns_per_second;
    case TimeUnit::second: return ns_per_second;
    case TimeUnit::millisecond: return 1'000'000;
    case TimeUnit::microsecond: return 1000;
    case TimeUnit::nanosecond: return 1;
    default: return 0;
  }
}

std::string time_of_day(std::int64_t nanoseconds, std::int64_t length) {
  const std::int64_t seconds = nanoseconds / ns_per_second;
  std::string text = fmt::format("T{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
  if (length > ns_per_second) return text;
  text += fmt::format(":{:02}", seconds % 60);
  if (length == ns_per_second) return text;
  const int decimals = length == 1 ? 9 : length == 1000 ? 6 : 3;
  return text + fmt::format(".{:0{}}", nanoseconds % ns_per_second / length, decimals);
}

}  // namespace

std::string timestamp_text(std::int64_t ticks, TimeUnit unit) {
  const std::int64_t length = length_of(unit);
  if (length == 0) return fmt::format("{}", ticks);
  const std::int64_t ticks_a_day = ns_per_day / length;
  const bool before_midnight = ticks % ticks_a_day < 0;  // rounds down to the day before
  const std::int64_t days = ticks / ticks_a_day - (before_midnight ? 1 : 0);
  constexpr std::int64_t first_day = -719'528;  // 0000-01-01
  constexpr std::int64_t last_day = 2'932'896;  // 9999-12-31
  if (days < first_day || days > last_day) return fmt::format("{}", ticks);
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(static_cast<int>(days)))};
  const std::string text =
      fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  if (unit == TimeUnit::day) return text;
  const std::int64_t rest = ticks % ticks_a_day + (before_midnight ? ticks_a_day : 0);
  return text + time_of_day(rest * length, length);
}

}  // namespace rtindex
