#include <fmt/format.h>

#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"
#include "experiments/splits.hpp"

namespace rtindex::bench {

namespace {

void run(Session& session) {
  const std::size_t lookups = std::size_t{1} << session.pick(6, 12, 20);
  Lazy<Column> column(
      [&](Place& place) { return dense_column(place, usual_keys(session), 32, column_seed); });
  Lazy<Ranked> ranked([&](Place& place) { return Ranked(column.in(place)); });
  for (const Contestant& tracer : session.ray_tracers())
    for (const int bits : bits_on_x(usual_keys_log2(session))) {
      Bed bed(session, tracer.spec.with("bits", two_axis_split(bits, true)), column);
      for (const int hits_log2 : {6, 8, 10}) {
        const std::string what = fmt::format("2^{} hits", hits_log2);
        session.point({.series = series_of(tracer, what), .x = bits}, [&] {
          const std::size_t hits = std::size_t{1} << hits_log2;
          return bed.fire(ranges_of_hits(ranked.in(bed.place()), lookups, hits, lookup_seed));
        });
      }
    }
}

}  // namespace

Experiment decomposition_ranges_experiment() {
  return {.name = "decomposition-ranges",
          .title = "Key decomposition, ranges",
          .question = "Which axes should the bits of a dense key go to, for ranges?",
          .figure = "fig:decomp_range_lookups",
          .section = "3.4",
          .x = XAxis{"x_bits", "bits on the x axis"},
          .metrics = {lookup_ms()},
          .run = run};
}

}  // namespace rtindex::bench
