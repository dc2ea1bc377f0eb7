#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"

namespace rtindex::bench {

namespace {

void run(Session& session) {
  Lazy<Column> column(
      [&](Place& place) { return uniform_column(place, usual_keys(session), 32, column_seed); });
  const auto sizes = session.pick<int>({6, 8, 10, 12}, {7, 9, 11, 13, 15, 17, 19},
                                       {13, 15, 17, 19, 21, 23, 25, 27});
  Beds beds(session, column);
  for (const int size_log2 : sizes) {
    const std::size_t size = std::size_t{1} << size_log2;
    Lazy<Lookups> lookups(
        [&](Place& place) { return hits_in(column.in(place), size, lookup_seed); });
    for (auto& [contestant, bed] : beds)
      session.point({.series = contestant.label, .x = size_log2},
                    [&, &bed = bed] { return with_throughput(bed->fire(lookups), size); });
  }
}

}  // namespace

Experiment lookups_experiment() {
  return {.name = "lookups",
          .title = "Number of lookups",
          .question = "How many lookups must a batch have before the machine is busy?",
          .figure = "fig:probe_size",
          .section = "4.2",
          .x = XAxis{"log2_lookups", "lookups in the batch, log2"},
          .metrics = {throughput(), lookup_ms()},
          .run = run};
}

}  // namespace rtindex::bench
