#include <fmt/format.h>

#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"
#include "experiments/modes.hpp"

namespace rtindex::bench {

namespace {

void run(Session& session) {
  for (const int keys_log2 : mode_sizes(session))
    for (const unsigned stride : {1U, 2U, 4U}) {
      const std::size_t keys = std::size_t{1} << keys_log2;
      Lazy<Column> column(
          [&](Place& place) { return dense_column(place, keys, 32, column_seed, stride); });
      Lazy<Lookups> lookups([&](Place& place) {
        return hits_in(column.in(place), usual_lookups(session), lookup_seed);
      });
      for (const Contestant& tracer : session.ray_tracers())
        for (const std::string& mode : key_modes()) {
          Bed bed(session, tracer.spec.with("mode", mode), column);
          const std::string what = fmt::format("{}, stride {}", mode, stride);
          session.point({.series = series_of(tracer, what), .x = keys_log2},
                        [&] { return bed.fire(lookups); });
        }
    }
}

}  // namespace

Experiment key_stride_experiment() {
  return {.name = "key-stride",
          .title = "Key stride",
          .question = "Do wider gaps between keys slow a mode down?",
          .figure = "fig:keyconv:stride",
          .section = "3.2",
          .x = XAxis{"log2_keys", "keys, log2"},
          .metrics = {lookup_ms()},
          .run = run};
}

}  // namespace rtindex::bench
