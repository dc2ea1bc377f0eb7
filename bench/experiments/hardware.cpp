#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"

namespace rtindex::bench {

namespace {

// The same two batches on every machine; records of several machines stand side by side.
void run(Session& session) {
  Lazy<Column> column(
      [&](Place& place) { return uniform_column(place, usual_keys(session), 32, column_seed); });
  Lazy<Lookups> lookups(
      [&](Place& place) { return hits_in(column.in(place), usual_lookups(session), lookup_seed); });
  for (const Contestant& contestant : session.contestants()) {
    Bed bed(session, contestant.spec, column);
    for (const bool sorted : {false, true})
      session.point(
          {.series = contestant.label, .category = sorted ? "sorted lookups" : "unsorted lookups"},
          [&] { return bed.fire(lookups, {.sorted = sorted}); });
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
          .run = run,
          .compares_machines = true};
}

}  // namespace rtindex::bench
