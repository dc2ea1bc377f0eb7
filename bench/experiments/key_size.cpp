#include <fmt/format.h>

#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"

namespace rtindex::bench {

namespace {

void run_key_size(Session& session) {
  for (const int bits : {32, 64}) {
    Lazy<Column> column([&](ExecutionSpace& space) {
      return uniform_column(space, default_keys(session), bits, column_seed);
    });
    Lazy<Lookups> lookups([&](ExecutionSpace& space) {
      return hits_in(column.in(space), default_lookups(session), lookup_seed);
    });
    for (const Contestant& contestant : session.contestants()) {
      Fixture fixture(session, contestant.spec, column);
      session.point({.series = contestant.label, .category = fmt::format("{}-bit keys", bits)},
                    [&] {
                      Outcome outcome = fixture.time_builds();
                      outcome.append(fixture.run(lookups));
                      return outcome;
                    });
    }
  }
}

}  // namespace

Experiment key_size_experiment() {
  return {.name = "key-size",
          .title = "Key size",
          .question = "What do 64-bit keys cost compared with 32-bit ones, in time and memory?",
          .figure = "fig:key_size",
          .section = "4.7",
          .x = {},
          .metrics = {lookup_ms(), resident_bytes()},
          .run = run_key_size};
}

}  // namespace rtindex::bench
