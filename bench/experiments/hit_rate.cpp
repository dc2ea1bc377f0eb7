// Section 4.6: lookups that miss.

#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"

namespace rtindex::bench {

namespace {

// Runs lookups of every hit rate on every index, unsorted and sorted.
void run_hit_rates(Session& session, Misses misses, Lazy<Column>& column) {
  const auto rates = session.pick<double>({1, 0.5, 0}, {1, 0.99, 0.9, 0.7, 0.5, 0.3, 0.1, 0.01, 0},
                                          {1, 0.99, 0.9, 0.7, 0.5, 0.3, 0.1, 0.01, 0});
  Fixtures fixtures(session, column);
  for (const double rate : rates) {
    Lazy<Lookups> lookups([&](ExecutionSpace& space) {
      return with_hit_rate(column.in(space), default_lookups(session), rate, misses, column_seed,
                           lookup_seed);
    });
    for (auto& [contestant, fixture] : fixtures)
      for (const bool sorted : {false, true})
        session.point(
            {.series = series_of(contestant, order_name(sorted)), .x = rate},
            [&, &fixture = fixture] { return fixture->run(lookups, {.sorted = sorted}); });
  }
}

void run_hit_rate(Session& session) {
  Lazy<Column> column([&](ExecutionSpace& space) {
    return uniform_column(space, default_keys(session), 32, column_seed);
  });
  run_hit_rates(session, Misses::in_range, column);
}

// Keys from the middle half of all 32-bit values leave room for misses outside their range.
void run_outside_misses(Session& session) {
  Lazy<Column> column([&](ExecutionSpace& space) {
    return middle_column(space, default_keys(session), column_seed);
  });
  run_hit_rates(session, Misses::out_of_range, column);
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
          .run = run_hit_rate};
}

Experiment outside_misses_experiment() {
  return {.name = "outside-misses",
          .title = "Misses outside the key range",
          .question = "How much faster are misses outside the range of the keys?",
          .figure = "text",
          .section = "4.6",
          .x = XAxis{"hit_rate", "share of lookups that hit"},
          .metrics = {lookup_ms(), sort_ms(), total_ms()},
          .run = run_outside_misses};
}

}  // namespace rtindex::bench
