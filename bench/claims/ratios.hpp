#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>

#include "claims/figures.hpp"

namespace rtindex::bench {

inline Quantity ratio(const Quantity& a, const Quantity& b) {
  if (!a || !b || *b == 0) return std::nullopt;
  return *a / *b;
}

// The best (least) or worst (greatest) of several series; those without a value are left out.
inline Quantity least_of(std::initializer_list<Quantity> values) {
  Quantity least;
  for (const Quantity& value : values)
    if (value && (!least || *value < *least)) least = value;
  return least;
}
inline Quantity greatest_of(std::initializer_list<Quantity> values) {
  Quantity greatest;
  for (const Quantity& value : values)
    if (value && (!greatest || *value > *greatest)) greatest = value;
  return greatest;
}

// The greatest over the least of a series: 1 where it is flat.
inline Quantity spread(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return ratio(*greatest, *least);
}

// The number at the first place where it was measured: where the wanted one ran out of time, the
// next best.
template <class At>
[[nodiscard]] Quantity at_first(std::initializer_list<int> places, const At& at) {
  for (const int place : places)
    if (const Quantity number = at(place)) return number;
  return std::nullopt;
}

}  // namespace rtindex::bench
