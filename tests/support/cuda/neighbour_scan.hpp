#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <rtindex/answer.hpp>

#include "support/key.hpp"

namespace rtindex::test {

// How far two parts are apart; equal infinities and NaNs not at all.
[[nodiscard]] inline long double distance_of(const Part& a, const Part& b) {
  if (const auto* const whole = std::get_if<Whole>(&a)) {
    const Whole other = std::get<Whole>(b);
    return static_cast<long double>(*whole > other ? *whole - other : other - *whole);
  }
  if (compare(a, b) == 0) return 0;
  const long double between = std::abs(std::get<double>(a) - std::get<double>(b));
  return std::isnan(between) ? std::numeric_limits<long double>::infinity() : between;
}

[[nodiscard]] inline std::optional<long double> farthest_of(const Tolerance& tolerance) {
  if (const auto* const number = std::get_if<std::int64_t>(&tolerance)) return *number;
  if (const auto* const number = std::get_if<std::uint64_t>(&tolerance)) return *number;
  if (const auto* const number = std::get_if<double>(&tolerance)) return *number;
  return std::nullopt;
}

// The oracle of neighbours: one slow, obvious scan of the whole column.
[[nodiscard]] inline std::uint32_t scan_neighbour(const std::vector<Key>& column, const Key& key,
                                                  const NearestOptions& nearest) {
  if (is_null(key)) return miss_row;
  const auto on_side = [&](bool before) {
    std::uint32_t best = miss_row;
    for (std::uint32_t row = 0; row < column.size(); ++row) {
      if (is_null(column[row])) continue;
      const Key others(column[row].begin(), column[row].end() - 1);
      if (compare(others, Key(key.begin(), key.end() - 1)) != 0) continue;
      const int order = compare(column[row], key);
      if (order == 0 ? !nearest.exact : (order < 0) != before) continue;
      if (best == miss_row) {
        best = row;
        continue;
      }
      const int to_best = compare(column[row], column[best]);
      // Rows come in their order: of equal keys the last one before, the first one behind.
      if (before ? to_best >= 0 : to_best < 0) best = row;
    }
    return best;
  };
  const auto distance = [&](std::uint32_t row) {
    return distance_of(column[row].back(), key.back());
  };
  std::uint32_t found = on_side(nearest.direction != Direction::forward);
  if (nearest.direction == Direction::nearest) {
    const std::uint32_t behind = on_side(false);
    if (found == miss_row || (behind != miss_row && distance(behind) < distance(found)))
      found = behind;
  }
  const std::optional<long double> farthest = farthest_of(nearest.tolerance);
  return found != miss_row && farthest && distance(found) > *farthest ? miss_row : found;
}

// Every combination of options of neighbours.
[[nodiscard]] inline std::vector<NearestOptions> every_nearest(bool is_real) {
  std::vector<NearestOptions> all;
  for (const Direction direction : {Direction::backward, Direction::forward, Direction::nearest})
    for (const bool exact : {true, false})
      for (const int limit : {-1, 0, 3}) {
        NearestOptions options{direction, exact, {}};
        if (limit >= 0 && is_real) options.tolerance = 0.5 * limit;
        if (limit >= 0 && !is_real) options.tolerance = std::int64_t{limit};
        all.push_back(options);
      }
  return all;
}

[[nodiscard]] inline std::string text_of(const NearestOptions& options) {
  const std::optional<long double> farthest = farthest_of(options.tolerance);
  return std::string(name_of(options.direction)) + (options.exact ? "" : " without exact ones") +
         (farthest ? " up to " + std::to_string(static_cast<double>(*farthest)) : "");
}

}  // namespace rtindex::test
