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

inline Quantity spread(std::initializer_list<Quantity> values) {
  return ratio(greatest_of(values), least_of(values));
}

// One index at two places.
inline Quantity between(const Figures& f, const std::string& experiment, const std::string& index,
                        const Figures::Place& a, const Figures::Place& b,
                        const std::string& metric = "lookup_ms", const std::string& what = "") {
  return ratio(f.value(experiment, index, what, a, metric),
               f.value(experiment, index, what, b, metric));
}

// Two indexes at one place.
inline Quantity versus(const Figures& f, const std::string& experiment, const std::string& a,
                       const std::string& b, const Figures::Place& place,
                       const std::string& metric = "lookup_ms", const std::string& what = "") {
  return ratio(f.value(experiment, a, what, place, metric),
               f.value(experiment, b, what, place, metric));
}

// The best time of the classic indexes there.
inline Quantity best_classic(const Figures& f, const std::string& experiment,
                             const Figures::Place& place) {
  return least_of({f.value(experiment, "HT", "", place, "lookup_ms"),
                   f.value(experiment, "B+", "", place, "lookup_ms"),
                   f.value(experiment, "SA", "", place, "lookup_ms")});
}

}  // namespace rtindex::bench
