// Section 4.2: number of lookups, number of keys, build time and memory.

#include <fmt/format.h>

#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"

namespace rtindex::bench {

namespace {

void run_lookups(Session& session) {
  Lazy<Column> column([&](ExecutionSpace& space) {
    return uniform_column(space, default_keys(session), 32, column_seed);
  });
  const auto sizes = session.pick<int>({6, 8, 10, 12}, {7, 9, 11, 13, 15, 17, 19},
                                       {13, 15, 17, 19, 21, 23, 25, 27});
  Fixtures fixtures(session, column);
  for (const int size_log2 : sizes) {
    const std::size_t size = std::size_t{1} << size_log2;
    Lazy<Lookups> lookups(
        [&](ExecutionSpace& space) { return hits_in(column.in(space), size, lookup_seed); });
    for (auto& [contestant, fixture] : fixtures)
      session.point({.series = contestant.label, .x = size_log2}, [&, &fixture = fixture] {
        return with_throughput(fixture->run(lookups), size);
      });
  }
}

void run_keys(Session& session) {
  const auto sizes = session.pick<int>({8, 10, 12}, {10, 12, 14, 16, 18, 20, 22},
                                       {15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26});
  for (const int keys_log2 : sizes) {
    const std::size_t keys = std::size_t{1} << keys_log2;
    Lazy<Column> column(
        [&](ExecutionSpace& space) { return uniform_column(space, keys, 32, column_seed); });
    Lazy<Lookups> lookups([&](ExecutionSpace& space) {
      return hits_in(column.in(space), default_lookups(session), lookup_seed);
    });
    for (const Contestant& contestant : session.contestants()) {
      Fixture fixture(session, contestant.spec, column);
      session.point({.series = contestant.label, .x = keys_log2}, [&] {
        return with_throughput(fixture.run(lookups), default_lookups(session));
      });
    }
  }
}

void run_build_time(Session& session) {
  for (const int keys_log2 : session.pick<int>({11, 12}, {19, 20}, {25, 26}))
    for (const bool sorted : {false, true}) {
      const std::size_t keys = std::size_t{1} << keys_log2;
      Lazy<Column> column([&](ExecutionSpace& space) {
        Column made = uniform_column(space, keys, 32, column_seed);
        return sorted ? in_key_order(made) : std::move(made);
      });
      for (const Contestant& contestant : session.contestants())
        session.point(
            {.series = series_of(contestant, sorted ? "sorted inserts" : ""), .x = keys_log2},
            [&] { return Fixture(session, contestant.spec, column).time_builds(); });
    }
}

void run_memory(Session& session) {
  Lazy<Column> column([&](ExecutionSpace& space) {
    return uniform_column(space, default_keys(session), 32, column_seed);
  });
  const std::string category = fmt::format("2^{} keys", default_keys_log2(session));
  for (const Contestant& contestant : session.contestants())
    session.point({.series = contestant.label, .category = category}, [&] {
      Outcome outcome = Fixture(session, contestant.spec, column).time_builds();
      const double resident = outcome.runs("resident_bytes").front();
      const double peak = outcome.runs("build_peak_bytes").front();
      outcome.measured.push_back({"build_overhead_bytes", {std::max(0.0, peak - resident)}});
      return outcome;
    });
}

}  // namespace

Experiment lookups_experiment() {
  return {.name = "lookups",
          .title = "Number of lookups",
          .question = "How many lookups must a batch have before the machine is busy?",
          .figure = "fig:probe_size",
          .section = "4.2",
          .x = XAxis{"log2_lookups", "lookups in the batch, log2"},
          .metrics = {throughput(), lookup_ms()},
          .run = run_lookups};
}

Experiment keys_experiment() {
  return {.name = "keys",
          .title = "Number of keys",
          .question = "How does throughput fall as the column grows?",
          .figure = "fig:varying_build_size:throughput",
          .section = "4.2",
          .x = XAxis{"log2_keys", "keys, log2"},
          .metrics = {throughput(), lookup_ms()},
          .run = run_keys};
}

Experiment build_time_experiment() {
  return {.name = "build-time",
          .title = "Build time",
          .question = "What does a build cost, over sorted and over unsorted keys?",
          .figure = "fig:varying_build_size:build_time",
          .section = "4.2",
          .x = XAxis{"log2_keys", "keys, log2"},
          .metrics = {build_ms()},
          .run = run_build_time};
}

Experiment memory_experiment() {
  return {.name = "memory",
          .title = "Memory",
          .question = "How much memory does an index hold, and how much more while it is built?",
          .figure = "tab:build_size",
          .section = "4.2",
          .x = {},
          .metrics = {resident_bytes(),
                      {"build_overhead_bytes", "more than that during the build [bytes]"}},
          .run = run_memory};
}

}  // namespace rtindex::bench
