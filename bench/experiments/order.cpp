#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"

namespace rtindex::bench {

namespace {

std::string case_name(bool sorted_inserts, bool sorted_lookups) {
  return std::string(sorted_inserts ? "sorted" : "unsorted") + " inserts, " +
         (sorted_lookups ? "sorted" : "unsorted") + " lookups";
}

void run_order(Session& session) {
  for (const bool sorted_inserts : {false, true}) {
    Lazy<Column> column([&](ExecutionSpace& space) {
      Column made = uniform_column(space, default_keys(session), 32, column_seed);
      return sorted_inserts ? in_key_order(made) : std::move(made);
    });
    Lazy<Lookups> lookups([&](ExecutionSpace& space) {
      return hits_in(column.in(space), default_lookups(session), lookup_seed);
    });
    for (const Contestant& contestant : session.contestants()) {
      Fixture fixture(session, contestant.spec, column);
      for (const bool sorted_lookups : {false, true})
        session.point(
            {.series = contestant.label, .category = case_name(sorted_inserts, sorted_lookups)},
            [&] { return fixture.run(lookups, {.sorted = sorted_lookups}); });
    }
  }
}

}  // namespace

Experiment order_experiment() {
  return {.name = "order",
          .title = "Order of inserts and lookups",
          .question = "What do sorted keys and sorted lookups gain, and what does sorting cost?",
          .figure = "fig:ordering",
          .section = "4.4",
          .x = {},
          .metrics = {lookup_ms(), sort_ms(), total_ms()},
          .run = run_order};
}

}  // namespace rtindex::bench
