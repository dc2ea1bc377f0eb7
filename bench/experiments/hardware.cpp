#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"

namespace rtindex::bench {

namespace {

// Two batches that all machines run, to compare their records.
void run_hardware(Session& session) {
  Lazy<Column> column([&](ExecutionSpace& space) {
    return uniform_column(space, default_keys(session), 32, column_seed);
  });
  Lazy<Lookups> lookups([&](ExecutionSpace& space) {
    return hits_in(column.in(space), default_lookups(session), lookup_seed);
  });
  for (const Contestant& contestant : session.contestants()) {
    Fixture fixture(session, contestant.spec, column);
    for (const bool sorted : {false, true})
      session.point(
          {.series = contestant.label, .category = sorted ? "sorted lookups" : "unsorted lookups"},
          [&] { return fixture.run(lookups, {.sorted = sorted}); });
  }
}

}  // namespace

Experiment hardware_experiment() {
  return {.name = "hardware",
          .title = "Hardware",
          .question = "How do the indexes compare from machine to machine?",
          .figure = "fig:hardware",
          .section = "4.10",
          .x = {},
          .metrics = {lookup_ms(), sort_ms(), total_ms()},
          .run = run_hardware,
          .compares_machines = true};
}

}  // namespace rtindex::bench
