#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"

namespace rtindex::bench {

namespace {

Outcome time_sorts(Place& place, std::size_t size, int runs) {
  const Column column = uniform_column(place, size, 32, column_seed);
  const KeyArray keys(place, column.keys.bits(), size);
  const auto sorter = place.sorter(size, keys.bits());
  Outcome outcome{.index = place.sorter_name()};
  outcome.workload = column.about;
  Measured sorts{"sort_ms", {}};
  for (int run = 0; run <= runs; ++run) {
    place.copy(keys.data().data, column.keys.data().data, keys.bytes());
    const double ms = place.milliseconds([&] { sorter->sort(keys.data(), size); });
    if (run > 0) sorts.runs.push_back(ms);
  }
  outcome.measured.push_back(sorts);
  outcome.derive("sort_ns_per_key", "sort_ms", 1e6 / static_cast<double>(size));
  return outcome;
}

void run(Session& session) {
  if (session.contestants().empty()) return session.unsupported("no index is usable here");
  Place& place = session.place_for(session.contestants().front().spec);
  const auto sizes = session.pick<int>({8, 12}, {7, 9, 11, 13, 15, 17, 19, 21},
                                       {7, 9, 11, 13, 15, 17, 19, 20, 21, 23, 25, 27});
  for (const int log2 : sizes)
    session.point({.series = place.sorter_name(), .x = log2}, [&] {
      return time_sorts(place, std::size_t{1} << log2, session.settings().effort.runs);
    });
}

}  // namespace

Experiment sorting_floor_experiment() {
  return {.name = "sorting-floor",
          .title = "The floor of sorting",
          .question = "Below which batch size does sorting lookups stop getting cheaper?",
          .figure = "text",
          .section = "4.5",
          .x = XAxis{"log2_lookups", "lookups in the batch, log2"},
          .metrics = {sort_ms(), {"sort_ns_per_key", "time per lookup [ns]"}},
          .run = run};
}

}  // namespace rtindex::bench
