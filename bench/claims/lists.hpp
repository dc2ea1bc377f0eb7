#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "claims/claims.hpp"

namespace rtindex::bench {

[[nodiscard]] std::vector<Claim> design_claims();      // section 3
[[nodiscard]] std::vector<Claim> evaluation_claims();  // section 4
[[nodiscard]] std::vector<Claim> profile_claims();     // what a profiler tells, of both

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
// Within a tenth, and a half of that again for a noisy machine.
inline Condition about_one() {
  return {[](double number) { return number > 0.85 && number < 1.15; }, "0.85 to 1.15"};
}

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

}  // namespace rtindex::bench
