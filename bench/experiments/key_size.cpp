#include <fmt/format.h>

#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"

namespace rtindex::bench {

namespace {

void run(Session& session) {
  for (const int bits : {32, 64}) {
    Lazy<Column> column([&](Place& place) {
      return uniform_column(place, usual_keys(session), bits, column_seed);
    });
    Lazy<Lookups> lookups([&](Place& place) {
      return hits_in(column.in(place), usual_lookups(session), lookup_seed);
    });
    for (const Contestant& contestant : session.contestants()) {
      Bed bed(session, contestant.spec, column);
      session.point({.series = contestant.label, .category = fmt::format("{}-bit keys", bits)},
                    [&] {
                      Outcome outcome = bed.builds();
                      outcome.append(bed.fire(lookups));
                      return outcome;
                    });
    }
  }
}

}  // namespace

Experiment key_size_experiment() {
  return {.name = "key-size",
          .title = "Key size",
          .question = "What do 64-bit keys cost in place of 32-bit ones, in time and memory?",
          .figure = "fig:key_size",
          .section = "4.7",
          .x = {},
          .metrics = {lookup_ms(), resident_bytes()},
          .run = run};
}

}  // namespace rtindex::bench
