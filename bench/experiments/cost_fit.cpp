#include "experiments/cost_fit.hpp"

#include <algorithm>
#include <cstddef>

namespace rtindex::bench {

namespace {

// Sums over the points.
struct Moments {
  double count = 0, hits = 0, times = 0, hits_squared = 0, hits_times = 0;
};

Moments moments_of(std::span<const double> hits, std::span<const double> times) {
  Moments sums;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    sums.count += 1;
    sums.hits += hits[i];
    sums.times += times[i];
    sums.hits_squared += hits[i] * hits[i];
    sums.hits_times += hits[i] * times[i];
  }
  return sums;
}

double error_of(const CostFit& fit, std::span<const double> hits, std::span<const double> times) {
  double error = 0;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const double difference = fit.fixed + fit.per_hit * hits[i] - times[i];
    error += difference * difference;
  }
  return error;
}

}  // namespace

CostFit fit_costs(std::span<const double> hits, std::span<const double> times) {
  const Moments sums = moments_of(hits, times);
  const double determinant = sums.count * sums.hits_squared - sums.hits * sums.hits;
  if (determinant > 0) {
    const CostFit free = {
        (sums.times * sums.hits_squared - sums.hits * sums.hits_times) / determinant,
        (sums.count * sums.hits_times - sums.hits * sums.times) / determinant};
    if (free.fixed >= 0 && free.per_hit >= 0) return free;
  }
  // With two unknowns the best fit without negative costs lies on one of the two borders.
  const CostFit only_fixed = {std::max(0.0, sums.times / sums.count), 0};
  const CostFit only_hits = {0, std::max(0.0, sums.hits_times / sums.hits_squared)};
  return error_of(only_fixed, hits, times) < error_of(only_hits, hits, times) ? only_fixed
                                                                              : only_hits;
}

}  // namespace rtindex::bench
