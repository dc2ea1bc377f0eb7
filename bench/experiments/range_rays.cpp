#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"

namespace rtindex::bench {

namespace {

// The published one-hit times equal those of perpendicular rays in both rows: one-key ranges were
// evidently fired as points there. Ours are ranges throughout.
void run(Session& session) {
  const std::size_t keys = std::size_t{1} << session.pick(12, 20, 25);
  const std::size_t lookups = std::size_t{1} << session.pick(8, 14, 27);
  Lazy<Column> column([&](Place& place) { return dense_column(place, keys, 32, column_seed); });
  Lazy<Ranked> ranked([&](Place& place) { return Ranked(column.in(place)); });
  for (const Contestant& tracer : session.ray_tracers())
    for (const std::string origin : {"offset", "zero"}) {
      Bed bed(session, tracer.spec.with("range", origin), column);
      for (const int hits_log2 : {0, 2, 4, 6, 8})
        session.point({.series = series_of(tracer, "from " + origin), .x = hits_log2}, [&] {
          const std::size_t hits = std::size_t{1} << hits_log2;
          return bed.fire(ranges_of_hits(ranked.in(bed.place()), lookups, hits, lookup_seed));
        });
    }
}

}  // namespace

Experiment range_rays_experiment() {
  return {.name = "range-rays",
          .title = "Rays of range lookups",
          .question = "Should the ray of a range start at the range or at zero?",
          .figure = "tab:ray-origin-time",
          .section = "3.3",
          .x = XAxis{"log2_hits", "hits of a range, log2"},
          .metrics = {lookup_ms()},
          .run = run};
}

}  // namespace rtindex::bench
