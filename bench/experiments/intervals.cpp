// Intervals that contain points: their number, and all pairs in any order.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"
#include "workload/portable_math.hpp"

namespace rtindex::bench {

namespace {

enum class Lengths : std::uint8_t { shorts, few_long, heavy_tail };

std::string text_of(Lengths lengths) {
  switch (lengths) {
    case Lengths::shorts: return "up to 8 gaps";
    case Lengths::few_long: return "one in a thousand up to 2,000 gaps";
    default: return "heavy tail";
  }
}

using Points = std::vector<std::uint32_t>;

// The length of an interval whose starts have such a gap between them.
double length_of(Lengths lengths, double gap, std::uint64_t row) {
  constexpr std::uint64_t seed = 11;
  const double share = random_fraction(seed, row);
  if (lengths == Lengths::heavy_tail)
    return gap * (portable_exp(-0.9 * portable_log(share + 1e-12)) - 0.5);
  const bool is_long = lengths == Lengths::few_long && random_below(1000, seed + 1, row) == 0;
  return share * gap * (is_long ? 2000 : 8);
}

WorkloadArray<std::uint32_t> in_space(ExecutionSpace& space, const Points& points) {
  WorkloadArray<std::uint32_t> array(space, points.size());
  space.copy_from_host(array.data(), points.data(), array.bytes());
  return array;
}

// Closed intervals with uniform starts, and points in random order.
struct IntervalWork {
  IntervalWork(std::size_t rows, std::size_t lookups, Lengths lengths)
      : starts(rows), ends(rows), points(lookups) {
    constexpr auto largest = std::numeric_limits<std::uint32_t>::max();
    const double gap = 0x1p32 / static_cast<double>(rows);
    parallel_for(rows, grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t row = first; row < first + count; ++row) {
        starts[row] = static_cast<std::uint32_t>(random_at(column_seed, row));
        const double length = std::max(0.0, length_of(lengths, gap, row));
        ends[row] = length >= largest - starts[row]
                        ? largest
                        : starts[row] + static_cast<std::uint32_t>(length);
      }
    });
    parallel_for(lookups, grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i)
        points[i] = static_cast<std::uint32_t>(random_at(lookup_seed, i));
    });
    count_matches();
  }

  [[nodiscard]] bool matches(std::uint32_t row, std::uint64_t lookup) const {
    return starts[row] <= points[lookup] && points[lookup] <= ends[row];
  }

  Points starts, ends, points;
  Points counts;  // expected
  std::size_t pairs = 0;

 private:
  static constexpr std::size_t grain = std::size_t{1} << 16;

  void count_matches() {
    std::array sorted = {starts, ends};
    parallel_for(sorted.size(), 1, [&](std::size_t which, std::size_t) {
      std::sort(sorted[which].begin(), sorted[which].end());
    });
    counts.resize(points.size());
    std::atomic<std::size_t> total = 0;
    parallel_for(points.size(), grain, [&](std::size_t first, std::size_t count) {
      std::size_t here = 0;
      for (std::size_t i = first; i < first + count; ++i) {
        const auto started =
            std::upper_bound(sorted[0].begin(), sorted[0].end(), points[i]) - sorted[0].begin();
        const auto ended =
            std::lower_bound(sorted[1].begin(), sorted[1].end(), points[i]) - sorted[1].begin();
        counts[i] = static_cast<std::uint32_t>(started - ended);
        here += counts[i];
      }
      total += here;
    });
    pairs = total;
  }
};

// The index and the points, in the space of the index.
struct IntervalIndex {
  IntervalIndex(ExecutionSpace& its_space, const Spec& spec, const IntervalWork& work)
      : space(its_space), points(in_space(space, work.points)) {
    const WorkloadArray<std::uint32_t> starts = in_space(space, work.starts);
    const WorkloadArray<std::uint32_t> ends = in_space(space, work.ends);
    const auto build_once = [&] {
      index.reset();
      index.emplace(
          build(ColumnView::intervals(view_of(starts), view_of(ends), Ends::closed), spec));
    };
    build_ms = space.milliseconds(build_once);
  }

  ExecutionSpace& space;
  WorkloadArray<std::uint32_t> points;
  std::optional<Index> index;
  double build_ms = 0;
};

// What the rays of a lookup do, on average, where the index counts them: not those for buckets.
void add_rays(Outcome& outcome, const IntervalIndex& on) {
  const Spec spec = on.index->spec();
  if (spec.kind() != "rx" || spec.tracer() == "native" || spec.options().contains("bucket")) return;
  Counters counters;
  const WorkloadArray<std::uint32_t> counts(on.space, on.points.size());
  on.index->answer_into(Query::contains(view_of(on.points)), {},
                        {.count = counts.data(), .memory_space = on.space.memory()},
                        {.counters = &counters});
  const auto lookups = static_cast<double>(on.points.size());
  for (const auto& [metric, count] : {std::pair{"rays_per_lookup", counters.rays},
                                      std::pair{"tested_per_lookup", counters.tested},
                                      std::pair{"hits_per_lookup", counters.hits}})
    outcome.measured.push_back({metric, {static_cast<double>(count) / lookups}});
}

template <class Call>
Outcome time_calls(const IntervalIndex& on, const Effort& effort, const Call& call) {
  std::vector<double> runs;
  static_cast<void>(on.space.milliseconds(call));
  for (int run = 0; run < effort.runs; ++run) runs.push_back(on.space.milliseconds(call));
  Outcome outcome{.index = on.index->spec().text()};
  outcome.measured = {{"lookup_ms", std::move(runs)}, {"build_ms", {on.build_ms}}};
  return outcome;
}

Outcome time_counts(const IntervalIndex& on, const IntervalWork& work, const Effort& effort) {
  const WorkloadArray<std::uint32_t> counts(on.space, work.points.size());
  Outcome outcome = time_calls(on, effort, [&] {
    on.index->answer_into(Query::contains(view_of(on.points)), {},
                          {.count = counts.data(), .memory_space = on.space.memory()});
  });
  if (counts.to_host() != work.counts) throw WrongAnswer(outcome.index + " counted wrong");
  add_rays(outcome, on);
  return outcome;
}

Outcome time_pairs(const IntervalIndex& on, const IntervalWork& work, const Effort& effort) {
  const WorkloadArray<std::uint64_t> lookups(on.space, work.pairs);
  const WorkloadArray<std::uint32_t> rows(on.space, work.pairs);
  const WorkloadArray<std::uint64_t> count(on.space, 1);
  Outcome outcome = time_calls(on, effort, [&] {
    on.index->join_into(Query::contains(view_of(on.points)), JoinKind::inner,
                        {.lookups = lookups.data(),
                         .rows = rows.data(),
                         .capacity = work.pairs,
                         .count = count.data(),
                         .memory_space = on.space.memory()},
                        {.order = JoinOrder::any});
  });
  const std::vector<std::uint64_t> found_lookups = lookups.to_host();
  const std::vector<std::uint32_t> found_rows = rows.to_host();
  Points found(work.points.size());
  std::atomic<bool> is_right = count.to_host().front() == work.pairs;
  constexpr std::size_t grain = std::size_t{1} << 16;
  parallel_for(is_right ? found_rows.size() : 0, grain, [&](std::size_t first, std::size_t size) {
    for (std::size_t i = first; i < first + size; ++i) {
      std::atomic_ref(found[found_lookups[i]]).fetch_add(1, std::memory_order_relaxed);
      if (!work.matches(found_rows[i], found_lookups[i])) is_right = false;
    }
  });
  if (!is_right || found != work.counts) throw WrongAnswer(outcome.index + " returned wrong pairs");
  return outcome;
}

void run_intervals(Session& session) {
  const Effort& effort = session.settings().effort;
  for (const Lengths lengths : {Lengths::shorts, Lengths::few_long, Lengths::heavy_tail}) {
    std::optional<IntervalWork> work;
    for (const Contestant& contestant : session.contestants()) {
      if (contestant.spec.kind() == "hash") continue;  // keeps no order
      std::optional<IntervalIndex> built;
      const auto index = [&]() -> const IntervalIndex& {
        const std::size_t size = default_keys(session);
        if (!work) work.emplace(size, size, lengths);
        if (!built) built.emplace(session.space_for(contestant.spec), contestant.spec, *work);
        return *built;
      };
      const auto measure = [&](const std::string& what, const auto& time) {
        session.point({.series = series_of(contestant, what), .category = text_of(lengths)}, [&] {
          const IntervalIndex& on = index();
          Outcome outcome = time(on, *work, effort);
          outcome.workload = {{"intervals", work->starts.size()},
                              {"lookups", work->points.size()},
                              {"lengths", text_of(lengths)},
                              {"pairs", work->pairs}};
          return outcome;
        });
      };
      measure("counts", time_counts);
      measure("pairs", time_pairs);
    }
  }
}

}  // namespace

Experiment intervals_experiment() {
  return {.name = "intervals",
          .title = "Intervals that contain points",
          .question =
              "What do the number of intervals that contain a point, and all pairs of "
              "both, cost?",
          .figure = "none",
          .section = "",
          .x = {},
          .metrics = {lookup_ms(),
                      build_ms(),
                      {"rays_per_lookup", "rays of a lookup"},
                      {"tested_per_lookup", "tested primitives of a lookup"},
                      {"hits_per_lookup", "hits of a lookup"}},
          .run = run_intervals};
}

}  // namespace rtindex::bench
