#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "claims/figures.hpp"

namespace rtindex::bench {

// What a claim is about. Records of a machine without it say nothing about the claim.
enum class About : std::uint8_t { any_machine, gpus, rt_cores };

// A sentence of the paper that figures can bear out, and the number that decides it. The same
// number is taken from the published figures and from ours.
struct Claim {
  std::string section;
  std::string sentence;
  std::string number;  // what the number is: "parallel / perpendicular"
  std::function<Quantity(const Figures&)> quantity;
  std::function<bool(double)> holds;
  std::string condition;  // "> 1"
  About about = About::any_machine;
  Quantity stated;  // the number, where the paper says it in its text and publishes no figures
  // Where the number was taken, of a claim that looks at several places: "2^12". May be null.
  std::function<std::string(const Figures&)> place;

  // The number that the paper gives.
  [[nodiscard]] Quantity published(const Figures& figures) const {
    return stated ? stated : quantity(figures);
  }
};

[[nodiscard]] const std::vector<Claim>& claims();

// "supported", "contradicted", "not testable without RT cores", "not testable on a CPU" or
// "not measured".
[[nodiscard]] std::string verdict(const Claim& claim, const Figures& figures);

}  // namespace rtindex::bench
