#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"

namespace rtindex::bench {

namespace {

// Embree's build takes some 140 bytes a key: its columns stay smaller.
constexpr int embree_keys_log2 = 24;

void run_large_columns(Session& session) {
  const auto sizes = session.pick<int>({12, 13}, {20, 22, 24}, {26, 27, 28, 29, 30, 31});
  const std::size_t lookup_count = std::size_t{1} << session.pick(10, 17, 27);
  for (const int keys_log2 : sizes) {
    const std::size_t keys = std::size_t{1} << keys_log2;
    Lazy<Column> column(
        [&](ExecutionSpace& space) { return uniform_column(space, keys, 32, column_seed); });
    Lazy<Lookups> lookups([&](ExecutionSpace& space) {
      return hits_in(column.in(space), lookup_count, lookup_seed);
    });
    for (const Contestant& contestant : session.contestants()) {
      if (contestant.spec.tracer() == "embree" && keys_log2 >= embree_keys_log2) continue;
      session.point({.series = contestant.label, .x = keys_log2}, [&] {
        Fixture fixture(session, contestant.spec, column);
        Outcome outcome = fixture.time_builds();
        outcome.append(with_throughput(fixture.run(lookups), lookup_count));
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
          .run = run_large_columns};
}

}  // namespace rtindex::bench
