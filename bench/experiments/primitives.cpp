#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"

namespace rtindex::bench {

namespace {

// Spheres of radius 0.25 are not exact beyond 22 bits on an axis; all three have this split.
constexpr const char* bits_of_all = "22+22+20";

void run_primitives(Session& session) {
  for (const int keys_log2 : mode_sizes(session)) {
    const std::size_t keys = std::size_t{1} << keys_log2;
    Lazy<Column> column(
        [&](ExecutionSpace& space) { return dense_column(space, keys, 32, column_seed); });
    Lazy<Lookups> lookups([&](ExecutionSpace& space) {
      return hits_in(column.in(space), default_lookups(session), lookup_seed);
    });
    for (const Contestant& tracer : session.ray_tracers())
      for (const std::string primitive : {"triangle", "sphere", "aabb"})
        for (const bool compact : {false, true}) {
          const Spec spec = tracer.spec.with("primitive", primitive)
                                .with("bits", bits_of_all)
                                .with("compact", compact ? "on" : "off");
          const std::string what = primitive + (compact ? ", compacted" : "");
          session.point({.series = series_of(tracer, what), .x = keys_log2}, [&] {
            Fixture fixture(session, spec, column);
            Outcome outcome = fixture.time_builds();
            outcome.append(fixture.run(lookups));
            outcome.workload["bits"] = bits_of_all;
            return outcome;
          });
        }
  }
}

}  // namespace

Experiment primitives_experiment() {
  return {.name = "primitives",
          .title = "Primitives and compaction",
          .question = "Triangles, spheres or boxes, compacted or not?",
          .figure = "fig:primitives",
          .section = "3.5",
          .x = XAxis{"log2_keys", "keys, log2"},
          .metrics = {lookup_ms(), build_ms(), resident_bytes()},
          .run = run_primitives};
}

}  // namespace rtindex::bench
