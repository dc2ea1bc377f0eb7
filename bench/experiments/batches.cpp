// Section 4.5: many small batches, and the cost of sorting them.

#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"

namespace rtindex::bench {

namespace {

void run_batches(Session& session) {
  Lazy<Column> column([&](ExecutionSpace& space) {
    return uniform_column(space, default_keys(session), 32, column_seed);
  });
  Lazy<Lookups> lookups([&](ExecutionSpace& space) {
    return hits_in(column.in(space), default_lookups(session), lookup_seed);
  });
  const auto axis = session.pick<int>({0, 2, 5}, {0, 2, 4, 6, 8, 10}, {0, 4, 8, 12, 16, 20});
  for (const Contestant& contestant : session.contestants()) {
    Fixture fixture(session, contestant.spec, column);
    for (const bool sorted : {false, true})
      for (const int log2 : axis)
        session.point({.series = series_of(contestant, order_name(sorted)), .x = log2}, [&] {
          return fixture.run(lookups, {.sorted = sorted, .batches = std::size_t{1} << log2});
        });
  }
}

Outcome time_sorts(ExecutionSpace& space, std::size_t size, int runs) {
  const Column column = uniform_column(space, size, 32, column_seed);
  const KeyArray keys(space, column.keys.bits(), size);
  const auto sorter = space.sorter(size, keys.bits());
  Outcome outcome{.index = space.sorter_name()};
  outcome.workload = column.about;
  Measured sorts{"sort_ms", {}};
  for (int run = 0; run <= runs; ++run) {
    space.copy(keys.data().data, column.keys.data().data, keys.bytes());
    const double ms = space.milliseconds([&] { sorter->sort(keys.data(), size); });
    if (run > 0) sorts.runs.push_back(ms);
  }
  outcome.measured.push_back(sorts);
  outcome.derive("sort_ns_per_key", "sort_ms", 1e6 / static_cast<double>(size));
  return outcome;
}

void run_sorting_floor(Session& session) {
  if (session.contestants().empty()) return session.unsupported("no index is available");
  ExecutionSpace& space = session.space_for(session.contestants().front().spec);
  const auto sizes = session.pick<int>({8, 12}, {7, 9, 11, 13, 15, 17, 19, 21},
                                       {7, 9, 11, 13, 15, 17, 19, 20, 21, 23, 25, 27});
  for (const int log2 : sizes)
    session.point({.series = space.sorter_name(), .x = log2}, [&] {
      return time_sorts(space, std::size_t{1} << log2, session.settings().effort.runs);
    });
}

}  // namespace

Experiment batches_experiment() {
  return {.name = "batches",
          .title = "Number of batches",
          .question = "What does it cost to split the lookups into many small batches?",
          .figure = "fig:batching",
          .section = "4.5",
          .x = XAxis{"log2_batches", "batches, log2"},
          .metrics = {lookup_ms(), sort_ms(), total_ms()},
          .run = run_batches};
}

Experiment sorting_floor_experiment() {
  return {.name = "sorting-floor",
          .title = "The floor of sorting",
          .question = "Below which batch size does sorting lookups stop getting cheaper?",
          .figure = "text",
          .section = "4.5",
          .x = XAxis{"log2_lookups", "lookups in the batch, log2"},
          .metrics = {sort_ms(), {"sort_ns_per_key", "time per lookup [ns]"}},
          .run = run_sorting_floor};
}

}  // namespace rtindex::bench
