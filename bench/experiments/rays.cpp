// Section 3.3: which rays answer points and ranges.

#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"

namespace rtindex::bench {

namespace {

struct Ray {
  const char* option;
  const char* name;
};

void run_point_rays(Session& session) {
  for (const int keys_log2 : mode_sizes(session)) {
    const std::size_t keys = std::size_t{1} << keys_log2;
    Lazy<Column> column(
        [&](ExecutionSpace& space) { return dense_column(space, keys, 32, column_seed); });
    Lazy<Lookups> lookups([&](ExecutionSpace& space) {
      return hits_in(column.in(space), default_lookups(session), lookup_seed);
    });
    for (const Contestant& tracer : session.ray_tracers())
      for (const std::string& mode : key_modes())
        for (const Ray ray : {Ray{"perpendicular", "perpendicular"}, Ray{"zero", "parallel"}}) {
          Fixture fixture(session, tracer.spec.with("mode", mode).with("point", ray.option),
                          column);
          const std::string what = mode + ", " + ray.name;
          session.point({.series = series_of(tracer, what), .x = keys_log2},
                        [&] { return fixture.run(lookups); });
        }
  }
}

// The published one-hit times equal those of perpendicular rays in both rows: one-key ranges
// evidently ran as points there. Ours are ranges throughout.
void run_range_rays(Session& session) {
  const std::size_t keys = std::size_t{1} << session.pick(12, 20, 25);
  const std::size_t lookups = std::size_t{1} << session.pick(8, 14, 27);
  Lazy<Column> column(
      [&](ExecutionSpace& space) { return dense_column(space, keys, 32, column_seed); });
  Lazy<Ranked> ranked([&](ExecutionSpace& space) { return Ranked(column.in(space)); });
  for (const Contestant& tracer : session.ray_tracers())
    for (const std::string origin : {"offset", "zero"}) {
      Fixture fixture(session, tracer.spec.with("range", origin), column);
      for (const int hits_log2 : {0, 2, 4, 6, 8})
        session.point({.series = series_of(tracer, "from " + origin), .x = hits_log2}, [&] {
          const std::size_t hits = std::size_t{1} << hits_log2;
          return fixture.run(
              ranges_of_hits(ranked.in(fixture.space()), lookups, hits, lookup_seed));
        });
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
          .run = run_point_rays};
}

Experiment range_rays_experiment() {
  return {.name = "range-rays",
          .title = "Rays of range lookups",
          .question = "Should the ray of a range start at the range or at zero?",
          .figure = "tab:ray-origin-time",
          .section = "3.3",
          .x = XAxis{"log2_hits", "hits of a range, log2"},
          .metrics = {lookup_ms()},
          .run = run_range_rays};
}

}  // namespace rtindex::bench
