#include "experiments/experiments.hpp"
#include "experiments/hit_rates.hpp"

namespace rtindex::bench {

namespace {

// Keys from the middle half of all 32-bit values, so that there is much room beyond them.
void run(Session& session) {
  Lazy<Column> column(
      [&](Place& place) { return middle_column(place, usual_keys(session), column_seed); });
  fire_hit_rates(session, Misses::out_of_range, column);
}

}  // namespace

Experiment outside_misses_experiment() {
  return {.name = "outside-misses",
          .title = "Misses outside the key range",
          .question = "How much faster are misses beyond the smallest and the greatest key?",
          .figure = "text",
          .section = "4.6",
          .x = XAxis{"hit_rate", "share of lookups that hit"},
          .metrics = {lookup_ms(), sort_ms(), total_ms()},
          .run = run};
}

}  // namespace rtindex::bench
