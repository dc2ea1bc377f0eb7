// The neighbours of keys, by every index that keeps its keys in order.

#include "workload/neighbours.hpp"
#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"

namespace rtindex::bench {

namespace {

struct NeighbourKind {
  std::string name;
  NearestOptions nearest;
};

const std::vector<NeighbourKind>& neighbour_kinds() {
  static const std::vector<NeighbourKind> kinds = {
      {"backward", {.direction = Direction::backward}},
      {"forward", {.direction = Direction::forward}},
      {"nearest", {.direction = Direction::nearest}},
      {"backward, not equal", {.direction = Direction::backward, .exact = false}},
  };
  return kinds;
}

// The rays, cells and keys of a lookup, if the index counts them.
void add_counts(Outcome& outcome, const Index& index, const Lookups& lookups,
                const NearestOptions& nearest) {
  if (outcome.status != "ok" || index.spec().kind() != "rx") return;
  ExecutionSpace& space = lookups.lower.space();
  const WorkloadArray<std::uint32_t> rows(space, lookups.size());
  Counters counters;
  index.answer_into(Query::nearest(lookups.lower.view(), nearest), {.answers = Answer::any},
                    {.any = rows.data(), .memory_space = space.memory()}, {.counters = &counters});
  const auto per_lookup = [&](std::uint64_t count) {
    return std::vector<double>{static_cast<double>(count) / static_cast<double>(lookups.size())};
  };
  outcome.measured.push_back({"rays_per_lookup", per_lookup(counters.rays)});
  outcome.measured.push_back({"cells_per_lookup", per_lookup(counters.cells)});
  outcome.measured.push_back({"tested_per_lookup", per_lookup(counters.tested)});
}

void run_neighbours(Session& session) {
  const auto rates = session.pick<double>({1, 0}, {1, 0.5, 0}, {1, 0.5, 0});
  const std::size_t size = default_lookups(session);
  Lazy<Column> column([&](ExecutionSpace& space) {
    return uniform_column(space, default_keys(session), 32, column_seed);
  });
  Lazy<OrderedRows> ordered(
      [&](ExecutionSpace& space) { return OrderedRows(column.in(space).keys); });
  Fixtures fixtures(session, column);
  for (const double rate : rates) {
    Lazy<Lookups> points([&](ExecutionSpace& space) {
      return with_hit_rate(column.in(space), size, rate, Misses::in_range, column_seed,
                           lookup_seed);
    });
    for (const NeighbourKind& kind : neighbour_kinds()) {
      Lazy<Lookups> lookups([&](ExecutionSpace& space) {
        return with_neighbours(points.in(space), ordered.in(space), kind.nearest);
      });
      for (auto& [contestant, fixture] : fixtures) {
        if (contestant.spec.kind() == "hash") continue;  // keeps no order
        session.point(
            {.series = series_of(contestant, kind.name), .x = rate}, [&, &fixture = fixture] {
              const Lookups& own = lookups.in(fixture->space());
              Outcome outcome = with_throughput(fixture->run(own, {.nearest = kind.nearest}), size);
              add_counts(outcome, fixture->index(), own, kind.nearest);
              return outcome;
            });
      }
    }
  }
}

}  // namespace

Experiment neighbours_experiment() {
  return {.name = "neighbours",
          .title = "Neighbours",
          .question = "What does the closest key before or after a lookup cost?",
          .figure = "none",
          .section = "",
          .x = XAxis{"hit_rate", "share of lookups with an equal key"},
          .metrics = {lookup_ms(),
                      throughput(),
                      {"rays_per_lookup", "rays per lookup", false},
                      {"cells_per_lookup", "cells read per lookup", false},
                      {"tested_per_lookup", "keys tested per lookup", false}},
          .run = run_neighbours};
}

}  // namespace rtindex::bench
