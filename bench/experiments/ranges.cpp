#include <cmath>

#include "experiments/cost_fit.hpp"
#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"

namespace rtindex::bench {

namespace {

// Splits the curve of a series into a cost per lookup and a cost per hit.
Outcome fit_of(const Session& session, const std::string& series) {
  std::vector<double> hits, times;
  Outcome outcome{.index = series};
  for (const Record& record : session.results("ranges")) {
    if (record.series != series || record.metric != "lookup_ms" || !record.ok() || !record.x)
      continue;
    hits.push_back(std::exp2(*record.x));
    times.push_back(*record.value);
    outcome.index = record.index;
  }
  if (hits.size() < 2) {
    outcome.status = "unsupported";
    outcome.reason = "a fit needs two points or more";
    return outcome;
  }
  const CostFit fit = fit_costs(hits, times);
  outcome.measured = {{"traversal_ms", {fit.fixed}}, {"intersect_ms", {fit.per_hit}}};
  outcome.workload = {{"fitted_points", hits.size()}};
  return outcome;
}

// A hash table answers points only, as in the paper.
bool answers_ranges(const Contestant& contestant) { return contestant.spec.kind() != "hash"; }

void run_ranges(Session& session) {
  const auto axis = session.pick<int>({0, 4, 8}, {0, 2, 4, 6, 8, 10}, {0, 2, 4, 6, 8, 10});
  const std::size_t lookups = std::size_t{1} << session.pick(8, 14, 27);
  Lazy<Column> column([&](ExecutionSpace& space) {
    return dense_column(space, default_keys(session), 32, column_seed);
  });
  Lazy<Ranked> ranked([&](ExecutionSpace& space) { return Ranked(column.in(space)); });
  Fixtures fixtures(session, column);
  for (const int log2 : axis) {
    Lazy<Lookups> ranges([&](ExecutionSpace& space) {
      return ranges_of_hits(ranked.in(space), lookups, std::size_t{1} << log2, lookup_seed);
    });
    for (auto& [contestant, fixture] : fixtures) {
      if (!answers_ranges(contestant)) continue;
      session.point({.series = contestant.label, .x = log2}, [&, &fixture = fixture] {
        Outcome outcome = fixture->run(ranges);
        outcome.derive("lookup_ms_per_hit", "lookup_ms", std::exp2(-log2));
        return outcome;
      });
    }
  }
  for (const Contestant& contestant : session.contestants())
    if (answers_ranges(contestant))
      session.point({.series = contestant.label, .category = "fit"},
                    [&] { return fit_of(session, contestant.label); });
}

}  // namespace

Experiment ranges_experiment() {
  return {.name = "ranges",
          .title = "Range lookups",
          .question = "What does a hit cost in ranges of 1 to 1024 hits?",
          .figure = "fig:range_queries",
          .section = "4.9",
          .x = XAxis{"log2_hits", "hits of a range, log2"},
          .metrics = {{"lookup_ms_per_hit", "time of the lookups / hits of a range [ms]"},
                      lookup_ms(),
                      {"traversal_ms", "fitted: time per batch, whatever the hits [ms]"},
                      {"intersect_ms", "fitted: time per hit of every range [ms]"}},
          .run = run_ranges};
}

}  // namespace rtindex::bench
