#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <utility>

#include "base/types.hpp"

namespace rtindex {

// The smallest value of column type T that is not below `value`; none where T ends before it.
template <class T, class L>
[[nodiscard]] std::optional<T> round_up_to(L value) {
  if constexpr (std::same_as<T, L>) {
    return value;
  } else if constexpr (std::floating_point<T>) {
    // NOLINTNEXTLINE(misc-redundant-expression): a NaN differs from itself
    if (value != value) return std::numeric_limits<T>::quiet_NaN();
    const T rounded = static_cast<T>(value);
    if (static_cast<double>(rounded) < static_cast<double>(value))
      return std::nextafter(rounded, std::numeric_limits<T>::infinity());
    return rounded;
  } else {
    if (std::cmp_greater(value, std::numeric_limits<T>::max())) return std::nullopt;
    if (std::cmp_less(value, std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
    return static_cast<T>(value);
  }
}

// The largest value of column type T that is not above `value`; none where T begins after it.
template <class T, class L>
[[nodiscard]] std::optional<T> round_down_to(L value) {
  if constexpr (std::same_as<T, L>) {
    return value;
  } else if constexpr (std::floating_point<T>) {
    // NOLINTNEXTLINE(misc-redundant-expression): a NaN differs from itself
    if (value != value) return std::numeric_limits<T>::quiet_NaN();
    const T rounded = static_cast<T>(value);
    if (static_cast<double>(rounded) > static_cast<double>(value))
      return std::nextafter(rounded, -std::numeric_limits<T>::infinity());
    return rounded;
  } else {
    if (std::cmp_less(value, std::numeric_limits<T>::min())) return std::nullopt;
    if (std::cmp_greater(value, std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
    return static_cast<T>(value);
  }
}

// Whether elements of these native types can be compared: integers (and bool) by value at any
// width, floats with floats, dates with dates, timestamps with timestamps.
[[nodiscard]] constexpr bool comparable(Type a, Type b) {
  return (is_integer(a) && is_integer(b)) || (is_float(a) && is_float(b)) || a == b;
}

}  // namespace rtindex
