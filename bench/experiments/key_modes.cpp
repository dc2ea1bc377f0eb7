#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"
#include "experiments/modes.hpp"

namespace rtindex::bench {

namespace {

void run(Session& session) {
  for (const int keys_log2 : mode_sizes(session)) {
    const std::size_t keys = std::size_t{1} << keys_log2;
    Lazy<Column> column([&](Place& place) { return dense_column(place, keys, 32, column_seed); });
    Lazy<Lookups> lookups([&](Place& place) {
      return hits_in(column.in(place), usual_lookups(session), lookup_seed);
    });
    for (const Contestant& tracer : session.ray_tracers())
      for (const std::string& mode : key_modes()) {
        Bed bed(session, tracer.spec.with("mode", mode), column);
        session.point({.series = series_of(tracer, mode), .x = keys_log2},
                      [&] { return bed.fire(lookups); });
      }
  }
}

}  // namespace

Experiment key_modes_experiment() {
  return {.name = "key-modes",
          .title = "Key modes",
          .question = "How should a key become coordinates?",
          .figure = "fig:keyconv:standard",
          .section = "3.2",
          .x = XAxis{"log2_keys", "keys, log2"},
          .metrics = {lookup_ms()},
          .run = run};
}

}  // namespace rtindex::bench
