#include "experiments/experiments.hpp"
#include "experiments/hit_rates.hpp"

namespace rtindex::bench {

namespace {

void run(Session& session) {
  Lazy<Column> column(
      [&](Place& place) { return uniform_column(place, usual_keys(session), 32, column_seed); });
  fire_hit_rates(session, Misses::in_range, column);
}

}  // namespace

Experiment hit_rate_experiment() {
  return {.name = "hit-rate",
          .title = "Hit rate",
          .question = "Which index gains most when lookups miss?",
          .figure = "fig:hitsandmisses",
          .section = "4.6",
          .x = XAxis{"hit_rate", "share of lookups that hit"},
          .metrics = {lookup_ms(), sort_ms(), total_ms()},
          .run = run};
}

}  // namespace rtindex::bench
