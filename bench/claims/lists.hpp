#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "claims/claims.hpp"

namespace rtindex::bench {

[[nodiscard]] std::vector<Claim> design_claims();      // section 3
[[nodiscard]] std::vector<Claim> scaling_claims();     // sections 4.2 and 4.3
[[nodiscard]] std::vector<Claim> evaluation_claims();  // sections 4.4 to 4.10
[[nodiscard]] std::vector<Claim> profile_claims();     // what a profiler tells, of both

// Several lists as one.
[[nodiscard]] inline std::vector<Claim> joined(std::initializer_list<std::vector<Claim>> lists) {
  std::vector<Claim> all;
  for (const std::vector<Claim>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

// What a number must be for its claim to hold.
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
// Two times that differ by less than this are equal on a noisy machine.
constexpr double noise = 1.03;
inline Condition greater() { return above(noise); }
inline Condition less() { return below(1 / noise); }
inline Condition at_least(double bound) { return above(bound / noise); }
inline Condition within(double low, double high) {
  return {[=](double number) { return number > low && number < high; },
          fmt::format("{:.3g} to {:.3g}", low, high)};
}
// Within a tenth, and a half of that again for a noisy machine.
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

// A claim whose number is taken at the first of several places (as powers of two) where it was
// measured: where the wanted one ran out of time, the next best.
inline Claim claim_at_first(std::string section, std::string sentence, std::string number,
                            const std::vector<int>& places,
                            const std::function<Quantity(const Figures&, int)>& at,
                            Condition condition, About about = About::any_machine) {
  const auto first = [=](const Figures& figures) -> std::pair<Quantity, std::string> {
    for (const int place : places)
      if (const Quantity found = at(figures, place)) return {found, fmt::format("2^{}", place)};
    return {};
  };
  Claim made = claim(
      std::move(section), std::move(sentence), std::move(number),
      [=](const Figures& figures) { return first(figures).first; }, std::move(condition), about);
  made.place = [=](const Figures& figures) { return first(figures).second; };
  return made;
}

}  // namespace rtindex::bench
