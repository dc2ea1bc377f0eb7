#pragma once

#include <cmath>
#include <cstdint>

#include "base/macros.hpp"
#include "workload/random.hpp"

namespace rtindex::bench {

// Ranks 0 .. size-1 with Zipf's law: rank r has weight 1 / (r + 1)^exponent. Drawn by rejection
// from the inverted integral of the weights (Hörmann and Derflinger, 1996), so that no table is
// needed and a draw depends on its place only. Host and device round logarithms differently: one
// draw in millions is a neighbouring rank there.
class Zipf {
 public:
  Zipf(std::uint64_t size, double exponent)
      : size_(size),
        exponent_(exponent),
        low_(integral(1.5) - 1),
        high_(integral(static_cast<double>(size) + 0.5)),
        sure_(2 - inverse(integral(2.5) - weight(2))) {}

  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint64_t seed, std::uint64_t place) const {
    if (exponent_ == 0) return random_below(size_, seed, place);
    for (std::uint64_t attempt = 0;; ++attempt) {
      const double area = high_ + random_fraction(seed + attempt, place) * (low_ - high_);
      const double at = inverse(area);
      const double rank =
          std::fmax(1.0, std::fmin(std::floor(at + 0.5), static_cast<double>(size_)));
      if (rank - at <= sure_ || area >= integral(rank + 0.5) - weight(rank))
        return static_cast<std::uint64_t>(rank) - 1;
    }
  }

 private:
  [[nodiscard]] RTINDEX_HD double weight(double rank) const { return std::pow(rank, -exponent_); }
  // The integral of the weights from 1, and its inverse; the logarithm is the case of exponent 1.
  [[nodiscard]] RTINDEX_HD double integral(double rank) const {
    const double power = 1 - exponent_;
    const double logarithm = std::log(rank);
    return power == 0 ? logarithm : std::expm1(power * logarithm) / power;
  }
  [[nodiscard]] RTINDEX_HD double inverse(double area) const {
    const double power = 1 - exponent_;
    return std::exp(power == 0 ? area : std::log1p(std::fmax(-1.0, area * power)) / power);
  }

  std::uint64_t size_;
  double exponent_;
  double low_, high_;  // the area from which draws come
  double sure_;        // this near to a rank every draw is taken
};

}  // namespace rtindex::bench
