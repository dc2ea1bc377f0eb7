#include "claims/claims.hpp"

#include <algorithm>
#include <utility>

#include "claims/claim_lists.hpp"

namespace rtindex::bench {

namespace {

// Sorts "4.10" after "4.9".
std::pair<int, int> section_number(const Claim& claim) {
  const std::size_t point = claim.section.find('.');
  return {std::stoi(claim.section), std::stoi(claim.section.substr(point + 1))};
}

}  // namespace

const std::vector<Claim>& claims() {
  static const std::vector<Claim> all = [] {
    std::vector<Claim> list =
        joined({design_claims(), scaling_claims(), evaluation_claims(), profile_claims()});
    std::ranges::stable_sort(list, {}, section_number);
    return list;
  }();
  return all;
}

Verdict verdict(const Claim& claim, const Figures& figures) {
  figures.reset_gap();
  const Quantity quantity = claim.quantity(figures);
  const std::optional<Gap> gap = quantity ? std::nullopt : figures.first_gap();
  const bool has_records = !gap || gap->kind != Gap::Kind::not_run;
  if (claim.about == About::rt_cores && !figures.has_rt_cores())
    return {"not testable without RT cores", has_records};
  if (claim.about == About::gpus && !figures.is_gpu())
    return {"not testable on a CPU", has_records};
  if (quantity) return {claim.holds(*quantity) ? "supported" : "contradicted"};
  if (!gap) return {"not measured"};
  if (!has_records) return {"not measured: " + gap->reason, false, gap->experiment};
  const bool applies = gap->kind != Gap::Kind::not_applicable;
  return {(applies ? "not measured: " : "not applicable: ") + gap->reason};
}

}  // namespace rtindex::bench
