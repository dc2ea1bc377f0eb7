#include <cmath>

#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"

namespace rtindex::bench {

namespace {

void run_multiplicity(Session& session) {
  const auto axis =
      session.pick<int>({0, 2, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  const std::size_t lookup_count = std::size_t{1} << session.pick(12, 16, 27);
  for (const int log2 : axis) {
    const std::size_t multiplicity = std::size_t{1} << log2;
    Lazy<Column> column([&](ExecutionSpace& space) {
      return repeated_column(space, default_keys(session), multiplicity, column_seed);
    });
    Lazy<Lookups> lookups([&](ExecutionSpace& space) {
      return hits_in(column.in(space), lookup_count, lookup_seed);
    });
    for (const Contestant& contestant : session.contestants()) {
      Fixture fixture(session, contestant.spec, column);
      session.point({.series = contestant.label, .x = log2}, [&] {
        Outcome outcome = fixture.run(lookups);
        outcome.derive("lookup_ms_per_match", "lookup_ms", std::ldexp(1.0, -log2));
        return outcome;
      });
    }
  }
}

}  // namespace

Experiment multiplicity_experiment() {
  return {
      .name = "multiplicity",
      .title = "Key multiplicity",
      .question = "What does a match cost when keys repeat?",
      .figure = "fig:key_multiplicity_normalized",
      .section = "4.3",
      .x = XAxis{"log2_multiplicity", "rows per key, log2"},
      .metrics = {{"lookup_ms_per_match", "time of the lookups / rows per key [ms]"}, lookup_ms()},
      .run = run_multiplicity};
}

}  // namespace rtindex::bench
