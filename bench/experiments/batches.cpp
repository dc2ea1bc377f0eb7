#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"

namespace rtindex::bench {

namespace {

void run(Session& session) {
  Lazy<Column> column(
      [&](Place& place) { return uniform_column(place, usual_keys(session), 32, column_seed); });
  Lazy<Lookups> lookups(
      [&](Place& place) { return hits_in(column.in(place), usual_lookups(session), lookup_seed); });
  const auto axis = session.pick<int>({0, 2, 5}, {0, 2, 4, 6, 8, 10}, {0, 4, 8, 12, 16, 20});
  for (const Contestant& contestant : session.contestants()) {
    Bed bed(session, contestant.spec, column);
    for (const bool sorted : {false, true})
      for (const int log2 : axis)
        session.point({.series = series_of(contestant, order_name(sorted)), .x = log2}, [&] {
          return bed.fire(lookups, {.sorted = sorted, .batches = std::size_t{1} << log2});
        });
  }
}

}  // namespace

Experiment batches_experiment() {
  return {.name = "batches",
          .title = "Number of batches",
          .question = "What does it cost to fire the lookups in many small batches?",
          .figure = "fig:batching",
          .section = "4.5",
          .x = XAxis{"log2_batches", "batches, log2"},
          .metrics = {lookup_ms(), sort_ms(), total_ms()},
          .run = run};
}

}  // namespace rtindex::bench
