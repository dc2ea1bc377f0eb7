#include "workload/distributions.hpp"

#include <fmt/format.h>

#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"
#include "harness/timing.hpp"

namespace rtindex::bench {

namespace {

Metric bytes_per_key() { return {"bytes_per_key", "size of the index [bytes per key]", false}; }
Metric relative_to_uniform() {
  return {"relative_to_uniform", "time relative to uniform keys", false};
}

double median_ms(const Outcome& outcome) { return Times{outcome.runs("lookup_ms")}.median(); }

// A column of one distribution and lookups of its keys.
struct Distributed {
  Distributed(const Session& session, Distribution distribution, int bits)
      : column([&session, distribution, bits](ExecutionSpace& space) {
          return distributed_column(space, distribution, default_keys(session), bits, column_seed);
        }),
        lookups([this, &session](ExecutionSpace& space) {
          return rows_in(column.in(space), default_lookups(session), lookup_seed);
        }) {}
  Distributed(const Distributed&) = delete;
  Distributed& operator=(const Distributed&) = delete;

  Lazy<Column> column;
  Lazy<Lookups> lookups;
};

// Build, memory and lookups, and their time relative to that of the lookups in `uniform`, which run
// right before them: the speed of a machine changes over an experiment.
Outcome measured(Fixture& fixture, Lazy<Lookups>& lookups, Fixture& uniform,
                 Lazy<Lookups>& uniform_lookups) {
  Outcome outcome = fixture.time_builds();
  outcome.derive(bytes_per_key().name, "resident_bytes",
                 1 / static_cast<double>(fixture.column().size()));
  const Outcome reference = uniform.run(uniform_lookups, {.any = true});
  outcome.append(fixture.run(lookups, {.any = true}));
  if (reference.status == "ok" && outcome.status == "ok")
    outcome.measured.push_back(
        {relative_to_uniform().name, {median_ms(outcome) / median_ms(reference)}});
  return outcome;
}

void run_distributions(Session& session) {
  for (const int bits : {64, 32}) {
    Distributed uniform(session, Distribution::uniform, bits);
    Fixtures references(session, uniform.column);
    for (const Distribution distribution : distributions()) {
      Distributed skewed(session, distribution, bits);
      for (auto& [contestant, reference] : references) {
        Fixture fixture(session, contestant.spec, skewed.column);
        session.point({.series = series_of(contestant, fmt::format("{}-bit keys", bits)),
                       .category = name_of(distribution)},
                      [&, &reference = reference] {
                        return measured(fixture, skewed.lookups, *reference, uniform.lookups);
                      });
      }
    }
  }
}

}  // namespace

Experiment distributions_experiment() {
  return {.name = "distributions",
          .title = "Keys distributed as in real columns",
          .question = "What do skewed, clustered, repeated and outlying keys cost?",
          .figure = "none",
          .section = "",
          .x = {},
          .metrics = {lookup_ms(), relative_to_uniform(), build_ms(), bytes_per_key()},
          .run = run_distributions};
}

}  // namespace rtindex::bench
