#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"

namespace rtindex::bench {

namespace {

void run(Session& session) {
  const auto sizes = session.pick<int>({8, 10, 12}, {10, 12, 14, 16, 18, 20, 22},
                                       {15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26});
  for (const int keys_log2 : sizes) {
    const std::size_t keys = std::size_t{1} << keys_log2;
    Lazy<Column> column([&](Place& place) { return uniform_column(place, keys, 32, column_seed); });
    Lazy<Lookups> lookups([&](Place& place) {
      return hits_in(column.in(place), usual_lookups(session), lookup_seed);
    });
    for (const Contestant& contestant : session.contestants()) {
      Bed bed(session, contestant.spec, column);
      session.point({.series = contestant.label, .x = keys_log2},
                    [&] { return with_throughput(bed.fire(lookups), usual_lookups(session)); });
    }
  }
}

}  // namespace

Experiment keys_experiment() {
  return {.name = "keys",
          .title = "Number of keys",
          .question = "How does throughput fall as the column grows?",
          .figure = "fig:varying_build_size:throughput",
          .section = "4.2",
          .x = XAxis{"log2_keys", "keys, log2"},
          .metrics = {throughput(), lookup_ms()},
          .run = run};
}

}  // namespace rtindex::bench
