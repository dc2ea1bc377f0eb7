#pragma once

#include <functional>
#include <string>
#include <vector>

#include "claims/figures.hpp"

namespace rtindex::bench {

// A sentence of the paper that figures can bear out, and the number that decides it. The same
// number is taken from the published figures and from ours.
struct Claim {
  std::string section;
  std::string sentence;
  std::string number;  // what the number is: "parallel / perpendicular"
  std::function<Quantity(const Figures&)> quantity;
  std::function<bool(double)> holds;
  std::string condition;  // "> 1"
  // It is about what ray-tracing cores can do: records of other machines say nothing about it.
  bool about_rt_cores = false;
};

[[nodiscard]] const std::vector<Claim>& claims();

// "supported", "contradicted", "not testable without RT cores" or "not measured".
[[nodiscard]] std::string verdict(const Claim& claim, const Figures& figures);

}  // namespace rtindex::bench
