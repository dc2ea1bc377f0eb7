#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"
#include "experiments/modes.hpp"

namespace rtindex::bench {

namespace {

// Naive mode is left out: it equals 3d below 2^23 keys and holds no more.
void run(Session& session) {
  Lazy<Column> column(
      [&](Place& place) { return dense_column(place, usual_keys(session), 32, column_seed); });
  Lazy<Lookups> lookups(
      [&](Place& place) { return hits_in(column.in(place), usual_lookups(session), lookup_seed); });
  for (const Contestant& tracer : session.ray_tracers())
    for (const std::string mode : {"3d", "extended"})
      for (const std::string scale : {"2^-20", "2^0", "2^20"}) {
        Bed bed(session, tracer.spec.with("mode", mode).with("scale", scale), column);
        session.point({.series = series_of(tracer, mode), .category = scale},
                      [&] { return bed.fire(lookups); });
      }
}

}  // namespace

Experiment coordinate_scale_experiment() {
  return {.name = "coordinate-scale",
          .title = "Scaled coordinates",
          .question = "Does the magnitude of coordinates matter?",
          .figure = "text",
          .section = "3.2",
          .x = {},
          .metrics = {lookup_ms()},
          .run = run};
}

}  // namespace rtindex::bench
