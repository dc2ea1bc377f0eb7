#pragma once

#include <span>

namespace rtindex::bench {

// time = fixed + hits * per_hit, neither below zero (section 4.9).
struct CostFit {
  double fixed = 0;
  double per_hit = 0;
};

// The fit of least squares among those without a negative cost.
[[nodiscard]] CostFit fit_costs(std::span<const double> hits, std::span<const double> times);

}  // namespace rtindex::bench
