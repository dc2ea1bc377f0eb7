#include <fmt/format.h>

#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"

namespace rtindex::bench {

namespace {

// An index as it comes, and with what rtindex adds to the paper's indexes.
struct Variant {
  Spec spec;
  std::string label;
  Values values = Values::fetched;
};

std::vector<Variant> variants_of(const Contestant& contestant) {
  std::vector<Variant> variants = {{contestant.spec, contestant.label}};
  const bool keeps_order = contestant.spec.kind() == "sorted" ||
                           contestant.spec.kind() == "btree" ||
                           contestant.spec.tracer() == "native";
  if (!keeps_order) return variants;
  if (contestant.spec.device() != "cuda")
    variants.push_back(
        {contestant.spec.with("order", "on"), contestant.label + ", ordered batches"});
  variants.push_back({contestant.spec, contestant.label + ", included values", Values::included});
  return variants;
}

struct Workload {
  std::string name;
  std::function<Lookups()> lookups;
};

void run(Session& session) {
  Lazy<Column> column([&] { return uniform_column(usual_keys(session), 64, column_seed); });
  Lazy<Ranked> ranked([&] { return Ranked(*column); });
  const std::size_t points = usual_lookups(session);
  const std::size_t ranges = points / 32;
  const std::vector<Workload> workloads = {
      {"points, all hit", [&] { return hits_in(*column, points, lookup_seed); }},
      {"points, half miss",
       [&] {
         return with_hit_rate(*column, points, 0.5, Misses::in_range, column_seed, lookup_seed);
       }},
      {"points, Zipf 1", [&] { return skewed_hits_in(*column, points, 1, lookup_seed); }},
      {"ranges of 16", [&] { return ranges_of_hits(*ranked, ranges, 16, lookup_seed); }},
      {"ranges of 256", [&] { return ranges_of_hits(*ranked, ranges, 256, lookup_seed); }}};
  for (const Contestant& contestant : session.contestants())
    for (const Variant& variant : variants_of(contestant)) {
      Bed bed(session, variant.spec, column, variant.values);
      for (const Workload& workload : workloads)
        session.point({.series = variant.label, .category = workload.name}, [&] {
          const Lookups lookups = workload.lookups();
          return with_throughput(bed.fire(lookups), lookups.size());
        });
    }
}

}  // namespace

Experiment every_index_experiment() {
  return {.name = "every-index",
          .title = "Every index and what rtindex adds",
          .question =
              "Which index is the best for a workload, ordered batches and included "
              "values counted in?",
          .figure = "none",
          .section = "",
          .x = {},
          .metrics = {throughput(), lookup_ms()},
          .run = run};
}

}  // namespace rtindex::bench
