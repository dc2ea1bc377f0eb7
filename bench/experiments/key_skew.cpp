#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"

namespace rtindex::bench {

namespace {

void run(Session& session) {
  const auto shares =
      session.pick<double>({0, 0.5, 1}, {0, 0.1, 0.3, 0.5, 0.7, 0.9, 1},
                           {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99, 1});
  for (const double share : shares) {
    Lazy<Column> column([&](Place& place) {
      return clustered_column(place, usual_keys(session), share, column_seed);
    });
    Lazy<Lookups> lookups([&](Place& place) {
      return hits_in(column.in(place), usual_lookups(session), lookup_seed);
    });
    for (const Contestant& contestant : session.contestants()) {
      Bed bed(session, contestant.spec, column);
      for (const bool sorted : {false, true})
        session.point({.series = series_of(contestant, order_name(sorted)), .x = share},
                      [&] { return bed.fire(lookups, {.sorted = sorted}); });
    }
  }
}

}  // namespace

Experiment key_skew_experiment() {
  return {.name = "key-skew",
          .title = "Skewed keys",
          .question = "Does it matter whether keys are clustered or spread?",
          .figure = "text",
          .section = "4.8",
          .x = XAxis{"key_uniformity", "share of the keys that lie anywhere, not in the centre"},
          .metrics = {lookup_ms(), sort_ms(), total_ms()},
          .run = run};
}

}  // namespace rtindex::bench
