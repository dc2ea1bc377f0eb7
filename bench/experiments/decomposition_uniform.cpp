#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"

namespace rtindex::bench {

namespace {

void run(Session& session) {
  Lazy<Column> column(
      [&](Place& place) { return uniform_column(place, usual_keys(session), 64, column_seed); });
  Lazy<Lookups> lookups(
      [&](Place& place) { return hits_in(column.in(place), usual_lookups(session), lookup_seed); });
  for (const Contestant& tracer : session.ray_tracers())
    for (const std::string bits :
         {"18+23+23", "21+21+22", "21+22+21", "22+21+21", "23+18+23", "23+23+18"}) {
      Bed bed(session, tracer.spec.with("bits", bits), column);
      session.point({.series = tracer.label, .category = bits}, [&] { return bed.fire(lookups); });
    }
}

}  // namespace

Experiment decomposition_uniform_experiment() {
  return {.name = "decomposition-uniform",
          .title = "Key decomposition, uniform 64-bit keys",
          .question = "Does the decomposition matter for keys from all of the 64-bit space?",
          .figure = "text",
          .section = "3.4",
          .x = {},
          .metrics = {lookup_ms()},
          .run = run};
}

}  // namespace rtindex::bench
