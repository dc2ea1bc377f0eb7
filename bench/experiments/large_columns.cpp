#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"

namespace rtindex::bench {

namespace {

// Embree's scene takes some 140 bytes a key while it is built; it stops where others go on.
constexpr int embree_keys_log2 = 24;

void run(Session& session) {
  const auto sizes = session.pick<int>({12, 13}, {20, 22, 24}, {26, 27, 28, 29, 30, 31});
  const std::size_t lookup_count = std::size_t{1} << session.pick(10, 17, 27);
  for (const int keys_log2 : sizes) {
    const std::size_t keys = std::size_t{1} << keys_log2;
    Lazy<Column> column([&](Place& place) { return uniform_column(place, keys, 32, column_seed); });
    Lazy<Lookups> lookups(
        [&](Place& place) { return hits_in(column.in(place), lookup_count, lookup_seed); });
    for (const Contestant& contestant : session.contestants()) {
      if (contestant.spec.tracer() == "embree" && keys_log2 >= embree_keys_log2) continue;
      session.point({.series = contestant.label, .x = keys_log2}, [&] {
        Bed bed(session, contestant.spec, column);
        Outcome outcome = bed.builds();
        outcome.append(with_throughput(bed.fire(lookups), lookup_count));
        return outcome;
      });
    }
  }
}

}  // namespace

Experiment large_columns_experiment() {
  return {.name = "large-columns",
          .title = "Large columns",
          .question = "How far do the indexes scale beyond the paper's 2^26 keys?",
          .figure = "none",
          .section = "",
          .x = XAxis{"log2_keys", "keys, log2"},
          .metrics = {throughput(), lookup_ms(), build_ms(), resident_bytes()},
          .run = run};
}

}  // namespace rtindex::bench
