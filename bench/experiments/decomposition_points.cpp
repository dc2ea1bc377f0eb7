#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"
#include "experiments/splits.hpp"

namespace rtindex::bench {

namespace {

void run(Session& session) {
  Lazy<Column> column(
      [&](Place& place) { return dense_column(place, usual_keys(session), 32, column_seed); });
  Lazy<Lookups> lookups(
      [&](Place& place) { return hits_in(column.in(place), usual_lookups(session), lookup_seed); });
  for (const Contestant& tracer : session.ray_tracers())
    for (const bool on_y : {true, false})
      for (const int bits : bits_on_x(usual_keys_log2(session))) {
        Bed bed(session, tracer.spec.with("bits", two_axis_split(bits, on_y)), column);
        session.point({.series = series_of(tracer, on_y ? "x+y" : "x+z"), .x = bits},
                      [&] { return bed.fire(lookups); });
      }
}

}  // namespace

Experiment decomposition_points_experiment() {
  return {.name = "decomposition-points",
          .title = "Key decomposition, points",
          .question = "Which axes should the bits of a dense key go to, for points?",
          .figure = "fig:decomp_point_lookups",
          .section = "3.4",
          .x = XAxis{"x_bits", "bits on the x axis"},
          .metrics = {lookup_ms()},
          .run = run};
}

}  // namespace rtindex::bench
