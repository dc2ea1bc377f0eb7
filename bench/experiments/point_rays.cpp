#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"
#include "experiments/modes.hpp"

namespace rtindex::bench {

namespace {

struct Ray {
  const char* option;
  const char* name;
};

void run(Session& session) {
  for (const int keys_log2 : mode_sizes(session)) {
    const std::size_t keys = std::size_t{1} << keys_log2;
    Lazy<Column> column([&](Place& place) { return dense_column(place, keys, 32, column_seed); });
    Lazy<Lookups> lookups([&](Place& place) {
      return hits_in(column.in(place), usual_lookups(session), lookup_seed);
    });
    for (const Contestant& tracer : session.ray_tracers())
      for (const std::string& mode : key_modes())
        for (const Ray ray : {Ray{"perpendicular", "perpendicular"}, Ray{"zero", "parallel"}}) {
          Bed bed(session, tracer.spec.with("mode", mode).with("point", ray.option), column);
          const std::string what = mode + ", " + ray.name;
          session.point({.series = series_of(tracer, what), .x = keys_log2},
                        [&] { return bed.fire(lookups); });
        }
  }
}

}  // namespace

Experiment point_rays_experiment() {
  return {.name = "point-rays",
          .title = "Rays of point lookups",
          .question = "Should the ray of a point lookup cross the line of keys or run along it?",
          .figure = "fig:parallel-vs-perpendicular-time",
          .section = "3.3",
          .x = XAxis{"log2_keys", "keys, log2"},
          .metrics = {lookup_ms()},
          .run = run};
}

}  // namespace rtindex::bench
