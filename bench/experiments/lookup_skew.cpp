#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"

namespace rtindex::bench {

namespace {

void run(Session& session) {
  const auto exponents =
      session.pick<double>({0, 1, 2}, {0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2},
                           {0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2});
  Lazy<Column> column(
      [&](Place& place) { return uniform_column(place, usual_keys(session), 32, column_seed); });
  Beds beds(session, column);
  for (const double exponent : exponents) {
    Lazy<Lookups> lookups([&](Place& place) {
      return skewed_hits_in(column.in(place), usual_lookups(session), exponent, lookup_seed);
    });
    for (auto& [contestant, bed] : beds)
      for (const bool sorted : {false, true})
        session.point({.series = series_of(contestant, order_name(sorted)), .x = exponent},
                      [&, &bed = bed] { return bed->fire(lookups, {.sorted = sorted}); });
  }
}

}  // namespace

Experiment lookup_skew_experiment() {
  return {.name = "lookup-skew",
          .title = "Skewed lookups",
          .question = "Which index gains most when few keys are looked up most of the time?",
          .figure = "fig:queryskew",
          .section = "4.8",
          .x = XAxis{"zipf", "Zipf exponent of the lookups"},
          .metrics = {lookup_ms(), sort_ms(), total_ms()},
          .run = run};
}

}  // namespace rtindex::bench
