// Section 3.2: how keys become coordinates.

#include <fmt/format.h>

#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"

namespace rtindex::bench {

namespace {

void run_key_modes(Session& session) {
  for (const int keys_log2 : mode_sizes(session)) {
    const std::size_t keys = std::size_t{1} << keys_log2;
    Lazy<Column> column(
        [&](ExecutionSpace& space) { return dense_column(space, keys, 32, column_seed); });
    Lazy<Lookups> lookups([&](ExecutionSpace& space) {
      return hits_in(column.in(space), default_lookups(session), lookup_seed);
    });
    for (const Contestant& tracer : session.ray_tracers())
      for (const std::string& mode : key_modes()) {
        Fixture fixture(session, tracer.spec.with("mode", mode), column);
        session.point({.series = series_of(tracer, mode), .x = keys_log2},
                      [&] { return fixture.run(lookups); });
      }
  }
}

void run_key_stride(Session& session) {
  for (const int keys_log2 : mode_sizes(session))
    for (const unsigned stride : {1U, 2U, 4U}) {
      const std::size_t keys = std::size_t{1} << keys_log2;
      Lazy<Column> column([&](ExecutionSpace& space) {
        return dense_column(space, keys, 32, column_seed, stride);
      });
      Lazy<Lookups> lookups([&](ExecutionSpace& space) {
        return hits_in(column.in(space), default_lookups(session), lookup_seed);
      });
      for (const Contestant& tracer : session.ray_tracers())
        for (const std::string& mode : key_modes()) {
          Fixture fixture(session, tracer.spec.with("mode", mode), column);
          const std::string what = fmt::format("{}, stride {}", mode, stride);
          session.point({.series = series_of(tracer, what), .x = keys_log2},
                        [&] { return fixture.run(lookups); });
        }
    }
}

// Without naive mode, which equals 3d below 2^23 keys and is limited to them.
void run_coordinate_scale(Session& session) {
  Lazy<Column> column([&](ExecutionSpace& space) {
    return dense_column(space, default_keys(session), 32, column_seed);
  });
  Lazy<Lookups> lookups([&](ExecutionSpace& space) {
    return hits_in(column.in(space), default_lookups(session), lookup_seed);
  });
  for (const Contestant& tracer : session.ray_tracers())
    for (const std::string mode : {"3d", "extended"})
      for (const std::string scale : {"2^-20", "2^0", "2^20"}) {
        Fixture fixture(session, tracer.spec.with("mode", mode).with("scale", scale), column);
        session.point({.series = series_of(tracer, mode), .category = scale},
                      [&] { return fixture.run(lookups); });
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
          .run = run_key_modes};
}

Experiment key_stride_experiment() {
  return {.name = "key-stride",
          .title = "Key stride",
          .question = "Do wider gaps between keys slow a mode down?",
          .figure = "fig:keyconv:stride",
          .section = "3.2",
          .x = XAxis{"log2_keys", "keys, log2"},
          .metrics = {lookup_ms()},
          .run = run_key_stride};
}

Experiment coordinate_scale_experiment() {
  return {.name = "coordinate-scale",
          .title = "Scaled coordinates",
          .question = "Does the magnitude of coordinates matter?",
          .figure = "text",
          .section = "3.2",
          .x = {},
          .metrics = {lookup_ms()},
          .run = run_coordinate_scale};
}

}  // namespace rtindex::bench
