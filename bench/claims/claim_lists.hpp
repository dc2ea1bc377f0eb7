#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "claims/claims.hpp"

// Conditions, claims and quantities from figures, for the lists of claims.

namespace rtindex::bench {

[[nodiscard]] std::vector<Claim> design_claims();      // section 3
[[nodiscard]] std::vector<Claim> scaling_claims();     // sections 4.2 and 4.3
[[nodiscard]] std::vector<Claim> evaluation_claims();  // sections 4.4 to 4.10
[[nodiscard]] std::vector<Claim> profile_claims();     // from a profiler, of both

[[nodiscard]] inline std::vector<Claim> joined(std::initializer_list<std::vector<Claim>> lists) {
  std::vector<Claim> all;
  for (const std::vector<Claim>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

// The condition for a claim to hold.
struct Condition {
  std::function<bool(double)> holds;
  std::string text;
};
inline Condition above(double bound) {
  return {[bound](double number) { return number > bound; }, fmt::format("> {:.3g}", bound)};
}
inline Condition below(double bound) {
  return {[bound](double number) { return number < bound; }, fmt::format("< {:.3g}", bound)};
}
// Times that differ by less than this factor count as equal.
constexpr double noise = 1.03;
inline Condition greater() { return above(noise); }
inline Condition less() { return below(1 / noise); }
inline Condition at_least(double bound) { return above(bound / noise); }
inline Condition within(double low, double high) {
  return {[=](double number) { return number > low && number < high; },
          fmt::format("{:.3g} to {:.3g}", low, high)};
}
// Within 10%, plus 5% for a noisy machine.
inline Condition about_one() { return within(0.85, 1.15); }

inline Claim claim(std::string section, std::string sentence, std::string number,
                   std::function<Quantity(const Figures&)> quantity, Condition condition,
                   About about = About::any_machine, Quantity stated = {}) {
  return {.section = std::move(section),
          .sentence = std::move(sentence),
          .number = std::move(number),
          .quantity = std::move(quantity),
          .holds = std::move(condition.holds),
          .condition = std::move(condition.text),
          .about = about,
          .stated = stated};
}

// A claim whose number is that of the first measured one of several x values (powers of two): if
// the preferred one timed out, the next.
inline Claim claim_at_first(std::string section, std::string sentence, std::string number,
                            const std::vector<int>& xs,
                            const std::function<Quantity(const Figures&, int)>& at,
                            Condition condition, About about = About::any_machine) {
  const auto first = [=](const Figures& figures) -> std::pair<Quantity, std::string> {
    for (const int x : xs)
      if (const Quantity found = at(figures, x)) return {found, fmt::format("2^{}", x)};
    return {};
  };
  Claim made = claim(
      std::move(section), std::move(sentence), std::move(number),
      [=](const Figures& figures) { return first(figures).first; }, std::move(condition), about);
  made.measured_at = [=](const Figures& figures) { return first(figures).second; };
  return made;
}

inline Quantity ratio(const Quantity& a, const Quantity& b) {
  if (!a || !b || *b == 0) return std::nullopt;
  return *a / *b;
}

// The best (least) or worst (greatest) of several series; those without a value are ignored.
inline Quantity min_of(std::initializer_list<Quantity> values) {
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

// The greatest over the least of a series: 1 if it is flat.
inline Quantity spread(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return ratio(*greatest, *least);
}

inline Quantity spread(std::initializer_list<Quantity> values) {
  return ratio(greatest_of(values), min_of(values));
}

// One index at two points.
inline Quantity between(const Figures& f, const std::string& experiment, const std::string& index,
                        const Figures::Point& a, const Figures::Point& b,
                        const std::string& metric = "lookup_ms", const std::string& what = "") {
  return ratio(f.value(experiment, index, what, a, metric),
               f.value(experiment, index, what, b, metric));
}

// Two indexes at one point.
inline Quantity versus(const Figures& f, const std::string& experiment, const std::string& a,
                       const std::string& b, const Figures::Point& point,
                       const std::string& metric = "lookup_ms", const std::string& what = "") {
  return ratio(f.value(experiment, a, what, point, metric),
               f.value(experiment, b, what, point, metric));
}

// The best time of the classic indexes.
inline Quantity best_classic(const Figures& f, const std::string& experiment,
                             const Figures::Point& point) {
  return min_of({f.value(experiment, "HT", "", point, "lookup_ms"),
                 f.value(experiment, "B+", "", point, "lookup_ms"),
                 f.value(experiment, "SA", "", point, "lookup_ms")});
}

}  // namespace rtindex::bench
