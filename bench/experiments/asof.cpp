// ASOF joins: for each lookup the row of the last key at or before it, alone and within groups.

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"
#include "workload/neighbours.hpp"

namespace rtindex::bench {

namespace {

constexpr NearestOptions last_before{.direction = Direction::backward};
constexpr std::uint64_t group_count = 500;

// Times, and a group of each.
struct Times32 {
  KeyArray times;
  KeyArray groups;  // empty: without groups

  [[nodiscard]] ColumnView view() const {
    return groups.empty() ? times.view() : ColumnView::composite({groups.view(), times.view()});
  }
  // One number per row in the order of the rows' keys.
  [[nodiscard]] KeyArray keys() const {
    return groups.empty() ? times.part(0, times.size()) : paired(groups, times);
  }
};

KeyArray make_groups(ExecutionSpace& space, std::size_t size, std::uint64_t seed) {
  KeyArray groups(space, 32, size);
  space.run(FillKeys<GroupKeys>{{group_count, mixed(seed)}, groups.data()}, size);
  return groups;
}

Times32 make_times(ExecutionSpace& space, std::size_t size, bool grouped, bool sorted,
                   std::uint64_t seed) {
  Times32 rows{KeyArray(space, 32, size), {}};
  space.run(FillKeys<UniformKeys>{{32, seed, 0}, rows.times.data()}, size);
  if (sorted) space.sorter(size, 32)->sort(rows.times.data(), size);
  if (grouped) rows.groups = make_groups(space, size, seed);
  return rows;
}

// The two tables of a join. Lookups are in the order of their times, or in none.
struct Tables {
  Column column;  // the times; its groups are in `right`
  Times32 right;
  OrderedRows ordered;
  Lookups unsorted, in_time_order;

  [[nodiscard]] const Lookups& lookups(bool sorted) const {
    return sorted ? in_time_order : unsorted;
  }
};

Tables make_tables(ExecutionSpace& space, std::size_t keys, std::size_t lookups, bool grouped) {
  Column column = uniform_column(space, keys, 32, column_seed);
  Times32 right{column.keys.part(0, keys),
                grouped ? make_groups(space, keys, column_seed) : KeyArray()};
  OrderedRows ordered(right.keys());
  const auto make_lookups = [&](bool sorted) {
    Times32 left = make_times(space, lookups, grouped, sorted, lookup_seed);
    Lookups made;
    made.expected = neighbour_rows(ordered, left.keys(), last_before, grouped);
    made.lower = std::move(left.times);
    made.group = std::move(left.groups);
    made.about = {{"lookups", sorted ? "in the order of their times" : "uniform"},
                  {"lookup_count", lookups},
                  {"groups", grouped ? group_count : 1}};
    return made;
  };
  Lookups unsorted = make_lookups(false);
  Lookups in_time_order = make_lookups(true);
  return {std::move(column), std::move(right), std::move(ordered), std::move(unsorted),
          std::move(in_time_order)};
}

// A binary search of the standard library over sorted keys, on all threads.
template <class Key>
void search_all(const OrderedRows& column, const KeyArray& keys, bool grouped,
                std::uint64_t* found) {
  constexpr std::size_t grain = 1 << 12;
  const Key* const sorted = static_cast<const Key*>(column.keys().data().data);
  const Key* const lookups = static_cast<const Key*>(keys.data().data);
  const std::uint32_t* const rows = column.rows().data();
  parallel_for(keys.size(), grain, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
      const Key* const above = std::upper_bound(sorted, sorted + column.keys().size(), lookups[i]);
      const bool has_one =
          above != sorted && (!grouped || static_cast<std::uint64_t>(above[-1]) >> 32 ==
                                              static_cast<std::uint64_t>(lookups[i]) >> 32);
      found[i] = has_one ? rows[above - sorted - 1] : miss_row;
    }
  });
}

constexpr const char* peer_name = "std::upper_bound";

// Runs `work` once to warm up, then as often as requested.
std::vector<double> timed_runs(ExecutionSpace& space, const Effort& effort,
                               const std::function<void()>& work) {
  std::vector<double> runs;
  runs.reserve(static_cast<std::size_t>(effort.runs));
  static_cast<void>(space.milliseconds(work));
  for (int run = 0; run < effort.runs; ++run) runs.push_back(space.milliseconds(work));
  return runs;
}

Outcome time_peer(const Tables& tables, bool sorted, const Effort& effort) {
  const Lookups& lookups = tables.lookups(sorted);
  const bool grouped = !tables.right.groups.empty();
  ExecutionSpace& space = lookups.lower.space();
  const KeyArray right_keys = tables.right.keys();
  const KeyArray keys =
      grouped ? paired(lookups.group, lookups.lower) : lookups.lower.part(0, lookups.size());
  const WorkloadArray<std::uint64_t> found(space, lookups.size());
  Outcome outcome{.index = peer_name};
  outcome.workload = lookups.about;
  outcome.measured = {
      {"lookup_ms",
       timed_runs(space, effort,
                  [&] {
                    if (grouped)
                      search_all<std::uint64_t>(tables.ordered, keys, grouped, found.data());
                    else
                      search_all<std::uint32_t>(tables.ordered, keys, grouped, found.data());
                  })},
      {"build_ms", timed_runs(space, effort, [&] { static_cast<void>(OrderedRows(right_keys)); })}};
  check_sums(space, found.span(), lookups.expected.span(), peer_name);
  return with_throughput(std::move(outcome), lookups.size());
}

// The index over the column of one side, built on first use.
class AsofIndex {
 public:
  AsofIndex(Session& session, const Contestant& contestant, Lazy<Tables>& tables)
      : session_(session), contestant_(contestant), tables_(tables) {}

  [[nodiscard]] Outcome run(bool sorted) {
    const Tables& tables = tables_.in(session_.space_for(contestant_.spec));
    const Effort& effort = session_.settings().effort;
    if (!builds_)
      builds_.emplace(time_builds(
          tables.column, [&] { return build(tables.right.view(), contestant_.spec); }, effort));
    const Lookups& lookups = tables.lookups(sorted);
    Outcome outcome = with_throughput(
        time_lookups(builds_->last, tables.column, lookups, effort, {.nearest = last_before}),
        lookups.size());
    if (outcome.status == "ok")
      outcome.measured.push_back({"build_ms", builds_->outcome.runs("build_ms")});
    return outcome;
  }

 private:
  Session& session_;
  const Contestant& contestant_;
  Lazy<Tables>& tables_;
  std::optional<Builds> builds_;
};

// The space of indexes on the CPU; nothing if no contestant is one.
ExecutionSpace* host_of(Session& session) {
  for (const Contestant& contestant : session.contestants())
    if (ExecutionSpace& space = session.space_for(contestant.spec);
        space.memory() == MemorySpace::host)
      return &space;
  return nullptr;
}

void run_asof(Session& session) {
  const std::size_t keys = std::size_t{1} << session.pick(10, 21, 26);
  const std::size_t lookups = std::size_t{1} << session.pick(10, 21, 27);
  const auto category_of = [](bool grouped, bool sorted) {
    return std::string(grouped ? "500 groups" : "no groups") +
           (sorted ? ", lookups in time order" : ", unsorted lookups");
  };
  ExecutionSpace* const host = host_of(session);
  for (const bool grouped : {false, true}) {
    Lazy<Tables> tables(
        [&](ExecutionSpace& space) { return make_tables(space, keys, lookups, grouped); });
    for (const Contestant& contestant : session.contestants()) {
      if (contestant.spec.kind() == "hash") continue;  // keeps no order
      AsofIndex index(session, contestant, tables);
      for (const bool sorted : {false, true})
        session.point({.series = contestant.label, .category = category_of(grouped, sorted)},
                      [&] { return index.run(sorted); });
    }
    if (host == nullptr) continue;
    for (const bool sorted : {false, true})
      session.point({.series = peer_name, .category = category_of(grouped, sorted)},
                    [&] { return time_peer(tables.in(*host), sorted, session.settings().effort); });
  }
}

}  // namespace

Experiment asof_experiment() {
  return {.name = "asof",
          .title = "ASOF joins",
          .question =
              "What does an ASOF join cost, with and without groups, on sorted and unsorted rows?",
          .figure = "none",
          .section = "",
          .x = {},
          .metrics = {lookup_ms(), throughput(), build_ms()},
          .run = run_asof};
}

}  // namespace rtindex::bench
