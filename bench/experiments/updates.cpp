#include <fmt/format.h>

#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"
#include "workload/column.hpp"

namespace rtindex::bench {

namespace {

const char* name_of(Neighbours neighbours) {
  return neighbours == Neighbours::positions ? "swap adjacent positions" : "swap adjacent keys";
}

// Builds, swaps and looks up, in the space of the index.
Outcome swap_and_look_up(const Session& session, const Column& before, const Spec& spec,
                         std::size_t pairs, Neighbours neighbours) {
  const Effort& effort = session.settings().effort;
  const Swaps swaps = random_swaps(before, pairs, neighbours, lookup_seed);
  Updates updates = time_updates(
      before, [&] { return build(before.keys.view(), spec); },
      [&](Index& index) { apply(swaps, index); }, effort);
  Column after = before.copy();
  apply(swaps, after);
  const Lookups lookups = hits_in(after, default_lookups(session), lookup_seed);
  Outcome outcome = time_lookups(updates.last, after, lookups, effort);
  outcome.append(updates.outcome);
  outcome.workload.update({{"swaps", pairs}, {"swapped", name_of(neighbours)}});
  if (outcome.status == "ok")
    outcome.measured.push_back(
        {"update_and_lookup_ms",
         {mean(outcome.runs("update_ms")) + mean(outcome.runs("lookup_ms"))}});
  return outcome;
}

void run_updates(Session& session) {
  const auto swaps_log2 = session.pick<int>({4, 8, 10}, {4, 8, 12, 18}, {4, 8, 12, 24});
  Lazy<Column> column([&](ExecutionSpace& space) {
    return dense_column(space, default_keys(session), 32, column_seed);
  });
  for (const Contestant& tracer : session.ray_tracers())
    for (const Neighbours neighbours : {Neighbours::positions, Neighbours::keys}) {
      const std::string series = series_of(tracer, name_of(neighbours));
      const auto point = [&](const Spec& spec, int log2, const std::string& category) {
        session.point({.series = series, .category = category}, [&] {
          return swap_and_look_up(session, column.in(session.space_for(spec)), spec,
                                  std::size_t{1} << log2, neighbours);
        });
      };
      const Spec refit = tracer.spec.with("update", "refit");
      const Spec segments = tracer.spec.with("update", "rebuild");
      for (const int log2 : swaps_log2) point(refit, log2, fmt::format("refit, 2^{}", log2));
      point(segments.with("delta", "0"), swaps_log2.back(), "rebuild");
      // Not in the paper: changed rows are a segment of their own, merged later.
      for (const int log2 : swaps_log2) point(segments, log2, fmt::format("segments, 2^{}", log2));
    }
}

}  // namespace

Experiment updates_experiment() {
  return {.name = "updates",
          .title = "Updates",
          .question = "Should updates refit the structure or rebuild it?",
          .figure = "fig:update-time",
          .section = "3.6",
          .x = {},
          .metrics = {lookup_ms(),
                      {"update_ms", "time of the update [ms]"},
                      {"update_and_lookup_ms", "update and lookups together [ms]"}},
          .run = run_updates};
}

}  // namespace rtindex::bench
