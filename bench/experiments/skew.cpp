// Section 4.8: skewed lookups and skewed keys.

#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"

namespace rtindex::bench {

namespace {

void run_lookup_skew(Session& session) {
  const auto exponents =
      session.pick<double>({0, 1, 2}, {0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2},
                           {0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2});
  Lazy<Column> column([&](ExecutionSpace& space) {
    return uniform_column(space, default_keys(session), 32, column_seed);
  });
  Fixtures fixtures(session, column);
  for (const double exponent : exponents) {
    Lazy<Lookups> lookups([&](ExecutionSpace& space) {
      return skewed_hits_in(column.in(space), default_lookups(session), exponent, lookup_seed);
    });
    for (auto& [contestant, fixture] : fixtures)
      for (const bool sorted : {false, true})
        session.point(
            {.series = series_of(contestant, order_name(sorted)), .x = exponent},
            [&, &fixture = fixture] { return fixture->run(lookups, {.sorted = sorted}); });
  }
}

void run_key_skew(Session& session) {
  const auto shares =
      session.pick<double>({0, 0.5, 1}, {0, 0.1, 0.3, 0.5, 0.7, 0.9, 1},
                           {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99, 1});
  for (const double share : shares) {
    Lazy<Column> column([&](ExecutionSpace& space) {
      return clustered_column(space, default_keys(session), share, column_seed);
    });
    Lazy<Lookups> lookups([&](ExecutionSpace& space) {
      return hits_in(column.in(space), default_lookups(session), lookup_seed);
    });
    for (const Contestant& contestant : session.contestants()) {
      Fixture fixture(session, contestant.spec, column);
      for (const bool sorted : {false, true})
        session.point({.series = series_of(contestant, order_name(sorted)), .x = share},
                      [&] { return fixture.run(lookups, {.sorted = sorted}); });
    }
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
          .run = run_lookup_skew};
}

Experiment key_skew_experiment() {
  return {.name = "key-skew",
          .title = "Skewed keys",
          .question = "Does it matter whether keys are clustered or spread?",
          .figure = "text",
          .section = "4.8",
          .x = XAxis{"key_uniformity", "share of the keys that lie anywhere, not in the centre"},
          .metrics = {lookup_ms(), sort_ms(), total_ms()},
          .run = run_key_skew};
}

}  // namespace rtindex::bench
