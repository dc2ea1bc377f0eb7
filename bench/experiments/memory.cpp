#include <fmt/format.h>

#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"

namespace rtindex::bench {

namespace {

void run(Session& session) {
  Lazy<Column> column(
      [&](Place& place) { return uniform_column(place, usual_keys(session), 32, column_seed); });
  const std::string category = fmt::format("2^{} keys", usual_keys_log2(session));
  for (const Contestant& contestant : session.contestants())
    session.point({.series = contestant.label, .category = category}, [&] {
      Outcome outcome = Bed(session, contestant.spec, column).builds();
      const double resident = outcome.runs("resident_bytes").front();
      const double peak = outcome.runs("build_peak_bytes").front();
      outcome.measured.push_back({"build_overhead_bytes", {std::max(0.0, peak - resident)}});
      return outcome;
    });
}

}  // namespace

Experiment memory_experiment() {
  return {.name = "memory",
          .title = "Memory",
          .question = "How much memory does an index hold, and how much more while it is built?",
          .figure = "tab:build_size",
          .section = "4.2",
          .x = {},
          .metrics = {resident_bytes(),
                      {"build_overhead_bytes", "more than that during the build [bytes]"}},
          .run = run};
}

}  // namespace rtindex::bench
