#include "cli/neighbour_options.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/types.hpp"
#include "base/wide.hpp"
#include "cli/batch.hpp"
#include "column_files/text_values.hpp"

namespace rtindex::cli {

namespace {

struct Duration {
  std::int64_t number;
  std::int64_t nanoseconds;  // of one

  [[nodiscard]] uint128 length() const {
    return static_cast<uint128>(number) * static_cast<uint128>(nanoseconds);
  }
};

// "5s", "250ms", "2h"; also NumPy's name for a tick of several units ("25s") or of one ("s").
std::optional<Duration> parse_duration(std::string_view text) {
  struct Unit {
    std::string_view name;
    std::int64_t nanoseconds;
  };
  constexpr std::int64_t second = 1'000'000'000;
  constexpr Unit units[] = {{"ns", 1},
                            {"us", 1000},
                            {"ms", 1'000'000},
                            {"min", 60 * second},
                            {"s", second},
                            {"m", 60 * second},
                            {"h", 3600 * second},
                            {"d", 86400 * second},
                            {"D", 86400 * second}};
  text = trimmed(text);
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    const std::string_view digits = trimmed(text.substr(0, text.size() - unit.name.size()));
    const auto number = digits.empty() ? 1 : parse_number<std::int64_t>(digits);
    if (number && *number >= 0) return Duration{*number, unit.nanoseconds};
  }
  return std::nullopt;
}

// A duration in ticks of the column, or the number of ticks.
std::uint64_t parse_ticks(const std::string& text, const LoadedColumn& column) {
  if (const auto ticks = parse_number<std::uint64_t>(text)) return *ticks;
  const auto duration = parse_duration(text);
  if (!duration || trimmed(text).find_first_of("0123456789") != 0)
    fail(
        "invalid --tolerance {}: expected a duration, such as 5s, 250ms or 2h, or a number of {} "
        "ticks, the unit of {}",
        text, column.type_text(), column.name());
  const auto tick = parse_duration(column.tick());
  if (!tick)
    fail("invalid --tolerance {} for {}: expected a number of ticks", text, column.type_text());
  if (duration->length() % tick->length() != 0)
    fail("invalid --tolerance {}: expected a multiple of {}, the unit of {}", text, column.tick(),
         column.name());
  const uint128 most = std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(std::min(duration->length() / tick->length(), most));
}

Tolerance parse_tolerance(const std::string& text, const LoadedColumn& keys) {
  // Of composite keys, the last part has a distance.
  const LoadedColumn& column = keys.parts().empty() ? keys : keys.parts().back();
  if (column.type() == Type::string)
    fail("--tolerance needs keys that have a distance: {} holds strings", column.name());
  if (column.is_time()) return parse_ticks(text, column);
  if (is_float(column.type())) {
    const auto number = parse_number<double>(text);
    if (number && *number >= 0) return *number;
    fail("invalid --tolerance {}: expected a number from 0 on", text);
  }
  if (const auto number = parse_number<std::uint64_t>(text)) return *number;
  fail("invalid --tolerance {}: expected an integer from 0 on, as the keys of {} are integers",
       text, column.name());
}

}  // namespace

void NeighbourOptions::add_to(CLI::App& verb) {
  verb.add_flag("--no-exact", no_exact, "Exclude equal keys, and intervals that contain the key")
      ->group(neighbour_group);
  verb.add_option("--tolerance", tolerance,
                  "How far away a neighbour may be: a number, or for times a\n"
                  "duration such as 5s, 250ms, 10min, 2h or 3d")
      ->type_name("DISTANCE")
      ->group(neighbour_group);
}

NearestOptions NeighbourOptions::options(const LoadedColumn& column) const {
  NearestOptions nearest{.direction = direction_named(direction), .exact = !no_exact};
  if (!tolerance.empty()) nearest.tolerance = parse_tolerance(tolerance, column);
  return nearest;
}

}  // namespace rtindex::cli
