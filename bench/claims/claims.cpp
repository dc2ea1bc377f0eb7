#include "claims/claims.hpp"

#include <iterator>

#include "claims/lists.hpp"

namespace rtindex::bench {

const std::vector<Claim>& claims() {
  static const std::vector<Claim> all = [] {
    std::vector<Claim> list = design_claims();
    std::ranges::move(evaluation_claims(), std::back_inserter(list));
    return list;
  }();
  return all;
}

std::string verdict(const Claim& claim, const Figures& figures) {
  if (claim.about == About::rt_cores && !figures.has_rt_cores())
    return "not testable without RT cores";
  if (claim.about == About::gpus && !figures.is_gpu()) return "not testable on a CPU";
  const Quantity quantity = claim.quantity(figures);
  if (!quantity) return "not measured";
  return claim.holds(*quantity) ? "supported" : "contradicted";
}

}  // namespace rtindex::bench
