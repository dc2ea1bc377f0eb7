#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "claims/figures.hpp"

namespace rtindex::bench {

// The hardware that a claim is about. Records of other machines cannot decide it.
enum class About : std::uint8_t { any_machine, gpus, rt_cores };

// A claim of the paper, and the number that decides it, computed in the same way from the published
// figures and from ours.
struct Claim {
  std::string section;
  std::string sentence;
  std::string number;  // its definition: "parallel / perpendicular"
  std::function<Quantity(const Figures&)> quantity;
  std::function<bool(double)> holds;
  std::string condition;  // "> 1"
  About about = About::any_machine;
  Quantity stated;  // the number in the paper's text, if it publishes no figures
  // The x value of the number, for claims that allow several: "2^12". May be null.
  std::function<std::string(const Figures&)> measured_at;

  // The number of the paper.
  [[nodiscard]] Quantity published(const Figures& figures) const {
    return stated ? stated : quantity(figures);
  }
};

[[nodiscard]] const std::vector<Claim>& claims();

// "supported" or "contradicted"; else "not testable", "not applicable" or "not measured" with the
// reason.
struct Verdict {
  std::string text;
  bool has_records = true;   // of the experiment that the claim is about
  std::string missing = {};  // the experiment to run; empty: none
};
[[nodiscard]] Verdict verdict(const Claim& claim, const Figures& figures);

}  // namespace rtindex::bench
