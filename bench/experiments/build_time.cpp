#include "experiments/bed.hpp"
#include "experiments/experiments.hpp"

namespace rtindex::bench {

namespace {

void run(Session& session) {
  for (const int keys_log2 : session.pick<int>({11, 12}, {19, 20}, {25, 26}))
    for (const bool sorted : {false, true}) {
      const std::size_t keys = std::size_t{1} << keys_log2;
      Lazy<Column> column([&](Place& place) {
        Column made = uniform_column(place, keys, 32, column_seed);
        return sorted ? in_key_order(made) : std::move(made);
      });
      for (const Contestant& contestant : session.contestants())
        session.point(
            {.series = series_of(contestant, sorted ? "sorted inserts" : ""), .x = keys_log2},
            [&] { return Bed(session, contestant.spec, column).builds(); });
    }
}

}  // namespace

Experiment build_time_experiment() {
  return {.name = "build-time",
          .title = "Build time",
          .question = "What does a build cost, over sorted and over unsorted keys?",
          .figure = "fig:varying_build_size:build_time",
          .section = "4.2",
          .x = XAxis{"log2_keys", "keys, log2"},
          .metrics = {build_ms()},
          .run = run};
}

}  // namespace rtindex::bench
