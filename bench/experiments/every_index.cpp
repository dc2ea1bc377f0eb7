#include <fmt/format.h>

#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"

namespace rtindex::bench {

namespace {

// An index with default options, and with the features that rtindex adds.
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
  std::size_t size;
  Lazy<Lookups> lookups;
};

void run_every_index(Session& session) {
  Lazy<Column> column([&](ExecutionSpace& space) {
    return uniform_column(space, default_keys(session), 64, column_seed);
  });
  Lazy<Ranked> ranked([&](ExecutionSpace& space) { return Ranked(column.in(space)); });
  const std::size_t points = default_lookups(session);
  const std::size_t ranges = points / 32;
  const auto ranges_of = [&](std::size_t hits) {
    return Lazy<Lookups>([&, hits](ExecutionSpace& space) {
      return ranges_of_hits(ranked.in(space), ranges, hits, lookup_seed);
    });
  };
  std::vector<Workload> workloads;
  workloads.push_back({"points, all hit", points, Lazy<Lookups>([&](ExecutionSpace& space) {
                         return hits_in(column.in(space), points, lookup_seed);
                       })});
  workloads.push_back({"points, half miss", points, Lazy<Lookups>([&](ExecutionSpace& space) {
                         return with_hit_rate(column.in(space), points, 0.5, Misses::in_range,
                                              column_seed, lookup_seed);
                       })});
  workloads.push_back({"points, Zipf 1", points, Lazy<Lookups>([&](ExecutionSpace& space) {
                         return skewed_hits_in(column.in(space), points, 1, lookup_seed);
                       })});
  workloads.push_back({"ranges of 16", ranges, ranges_of(16)});
  workloads.push_back({"ranges of 256", ranges, ranges_of(256)});
  for (const Contestant& contestant : session.contestants())
    for (const Variant& variant : variants_of(contestant)) {
      Fixture fixture(session, variant.spec, column, variant.values);
      for (Workload& workload : workloads)
        session.point({.series = variant.label, .category = workload.name}, [&] {
          return with_throughput(fixture.run(workload.lookups), workload.size);
        });
    }
}

}  // namespace

Experiment every_index_experiment() {
  return {.name = "every-index",
          .title = "Every index and what rtindex adds",
          .question =
              "Which index is best for a workload, with ordered batches and included "
              "values?",
          .figure = "none",
          .section = "",
          .x = {},
          .metrics = {throughput(), lookup_ms()},
          .run = run_every_index};
}

}  // namespace rtindex::bench
