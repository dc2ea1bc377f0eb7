// Box queries over points: counts, rows and bitmaps of single boxes, and counts of batches, beside
// a scan that compares every row.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/bitmap.hpp>

#include "base/parallel.hpp"
#include "experiments/experiments.hpp"
#include "experiments/fixture.hpp"
#include "workload/boxes.hpp"

namespace rtindex::bench {

namespace {

using Bounds = std::vector<WorkloadArray<std::uint32_t>>;

WorkloadArray<std::uint32_t> copied_to(ExecutionSpace& space,
                                       const std::vector<std::uint32_t>& values) {
  WorkloadArray<std::uint32_t> array(space, values.size());
  space.copy_from_host(array.data(), values.data(), array.bytes());
  return array;
}

Bounds copied_to(ExecutionSpace& space, const std::vector<std::vector<std::uint32_t>>& columns) {
  Bounds arrays;
  for (const std::vector<std::uint32_t>& column : columns)
    arrays.push_back(copied_to(space, column));
  return arrays;
}

// Boxes in the space of an index.
class BoxQueries {
 public:
  BoxQueries(ExecutionSpace& space, const BoxWork& work, const Boxes& boxes)
      : work_(work), lower_(copied_to(space, boxes.lower)), upper_(copied_to(space, boxes.upper)) {}

  // Boxes [first, first + count).
  [[nodiscard]] Query query(std::size_t first, std::size_t count) const {
    std::vector<Condition> conditions(work_.columns().size());
    for (std::size_t i = 0; i < work_.conditions().size(); ++i)
      conditions[work_.conditions()[i]] = {ConditionKind::range,
                                           view_of(lower_[i].part(first, count)),
                                           view_of(upper_[i].part(first, count)), Ends::closed};
    return Query::box(std::move(conditions));
  }

 private:
  const BoxWork& work_;
  Bounds lower_, upper_;
};

// An index over points, built once.
struct FilterIndex {
  FilterIndex(ExecutionSpace& its_space, const Spec& spec, const BoxWork& work) : space(its_space) {
    const Bounds columns = copied_to(space, work.columns());
    std::vector<ColumnView> views;
    for (const WorkloadArray<std::uint32_t>& column : columns) views.push_back(view_of(column));
    const ColumnView points = ColumnView::points(std::move(views));
    build_ms = space.milliseconds([&] { index.emplace(build(points, spec)); });
  }

  ExecutionSpace& space;
  std::optional<Index> index;
  double build_ms = 0;
};

// The time of a call for each of `calls` boxes, on average.
template <class Call>
std::vector<double> times_of(ExecutionSpace& space, const Effort& effort, std::size_t calls,
                             const Call& call) {
  std::vector<double> runs;
  const auto run = [&] {
    for (std::size_t i = 0; i < calls; ++i) call(i);
  };
  static_cast<void>(space.milliseconds(run));
  for (int i = 0; i < effort.runs; ++i)
    runs.push_back(space.milliseconds(run) / static_cast<double>(calls));
  return runs;
}

void require_right(bool is_right, const std::string& index, const std::string& what) {
  if (!is_right) throw WrongAnswer(fmt::format("{} returned a wrong {}", index, what));
}

std::vector<double> time_box_counts(const FilterIndex& on, const BoxQueries& queries,
                                    const Boxes& boxes, std::size_t batch, const Effort& effort) {
  const WorkloadArray<std::uint32_t> counts(on.space, boxes.size());
  std::vector<double> runs = times_of(on.space, effort, boxes.size() / batch, [&](std::size_t i) {
    on.index->answer_into(queries.query(i * batch, batch), {},
                          {.count = counts.data() + i * batch, .memory_space = on.space.memory()});
  });
  require_right(counts.to_host() == boxes.counts, on.index->spec().text(), "count");
  return runs;
}

std::vector<double> time_rows(const FilterIndex& on, const BoxQueries& queries, const BoxWork& work,
                              const Boxes& boxes, const Effort& effort) {
  const std::size_t largest = *std::max_element(boxes.counts.begin(), boxes.counts.end());
  const WorkloadArray<std::uint32_t> rows(on.space, largest);
  const WorkloadArray<std::uint64_t> offsets(on.space, 2);
  const auto list = [&](std::size_t i) {
    on.index->answer_into(queries.query(i, 1), {},
                          {.offsets = offsets.data(),
                           .rows = rows.data(),
                           .rows_capacity = largest,
                           .memory_space = on.space.memory()});
  };
  std::vector<double> runs = times_of(on.space, effort, boxes.size(), list);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    list(i);
    on.space.wait();
    require_right(offsets.to_host().back() == boxes.counts[i], on.index->spec().text(),
                  "number of rows");
    std::vector<std::uint32_t> found = rows.part(0, boxes.counts[i]).to_host();
    std::sort(found.begin(), found.end());
    require_right(std::adjacent_find(found.begin(), found.end()) == found.end() &&
                      std::all_of(found.begin(), found.end(),
                                  [&](std::uint32_t row) { return work.contains(boxes, i, row); }),
                  on.index->spec().text(), "row");
  }
  return runs;
}

// All rows of all boxes in one call.
std::vector<double> time_rows_of_batch(const FilterIndex& on, const BoxQueries& queries,
                                       const BoxWork& work, const Boxes& boxes,
                                       const Effort& effort) {
  const std::size_t all = boxes.all_rows();
  const WorkloadArray<std::uint32_t> rows(on.space, all);
  const WorkloadArray<std::uint64_t> offsets(on.space, boxes.size() + 1);
  std::vector<double> runs = times_of(on.space, effort, 1, [&](std::size_t) {
    on.index->answer_into(queries.query(0, boxes.size()), {},
                          {.offsets = offsets.data(),
                           .rows = rows.data(),
                           .rows_capacity = all,
                           .memory_space = on.space.memory()});
  });
  const std::vector<std::uint64_t> begins = offsets.to_host();
  std::vector<std::uint32_t> found = rows.to_host();
  std::atomic<bool> is_right = begins.back() == all;
  parallel_for(is_right ? boxes.size() : 0, 1, [&](std::size_t box, std::size_t) {
    const auto first = found.begin() + static_cast<std::ptrdiff_t>(begins[box]);
    const auto last = found.begin() + static_cast<std::ptrdiff_t>(begins[box + 1]);
    std::sort(first, last);
    if (begins[box + 1] - begins[box] != boxes.counts[box] ||
        std::adjacent_find(first, last) != last ||
        !std::all_of(first, last, [&](auto row) { return work.contains(boxes, box, row); }))
      is_right = false;
  });
  require_right(is_right, on.index->spec().text(), "row of a batch");
  return runs;
}

std::vector<double> time_bitmaps(const FilterIndex& on, const BoxQueries& queries,
                                 const BoxWork& work, const Boxes& boxes, const Effort& effort) {
  const WorkloadArray<std::uint8_t> bits(on.space, bitmap_bytes(work.rows()));
  const auto fill = [&](std::size_t i) {
    on.index->answer_into(
        queries.query(i, 1), {},
        {.memory_space = on.space.memory(), .bitmap = bits.data(), .bitmap_rows = work.rows()});
  };
  std::vector<double> runs = times_of(on.space, effort, boxes.size(), fill);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    fill(i);
    on.space.wait();
    const std::vector<std::uint8_t> found = bits.to_host();
    std::uint32_t count = 0;
    bool is_right = true;
    for (std::uint32_t row = 0; row < work.rows(); ++row) {
      if ((found[row / 8] >> row % 8 & 1) == 0) continue;
      ++count;
      is_right = is_right && work.contains(boxes, i, row);
    }
    require_right(is_right && count == boxes.counts[i], on.index->spec().text(), "bitmap");
  }
  return runs;
}

Measured rows_per_second(const Outcome& outcome, const Boxes& boxes) {
  Measured rate{"mrows_per_s", {}};
  for (const double ms : outcome.runs("lookup_ms"))
    rate.runs.push_back(static_cast<double>(boxes.all_rows()) / ms / 1e3);
  return rate;
}

// The rays of a box, on average, where the index casts any.
std::vector<Measured> count_rays(const FilterIndex& on, const BoxQueries& queries,
                                 const Boxes& boxes) {
  if (on.index->spec().tracer() == "native") return {};
  Counters counters;
  const WorkloadArray<std::uint32_t> counts(on.space, boxes.size());
  on.index->answer_into(queries.query(0, boxes.size()), {},
                        {.count = counts.data(), .memory_space = on.space.memory()},
                        {.counters = &counters});
  const auto of_a_box = [&](std::uint64_t count) -> std::vector<double> {
    return {static_cast<double>(count) / static_cast<double>(boxes.size())};
  };
  return {{"rays_per_lookup", of_a_box(counters.rays)},
          {"tested_per_lookup", of_a_box(counters.tested)},
          {"hits_per_lookup", of_a_box(counters.hits)}};
}

std::vector<double> time_scans(ExecutionSpace& space, const BoxWork& work, const Boxes& boxes,
                               const Effort& effort) {
  std::vector<std::vector<std::uint32_t>> scanned;
  for (const std::size_t column : work.conditions()) scanned.push_back(work.columns()[column]);
  const Bounds columns = copied_to(space, scanned);
  const WorkloadArray<std::uint32_t> counts(space, boxes.size());
  std::vector<double> runs = times_of(space, effort, boxes.size(), [&](std::size_t box) {
    BoxScan scan{.conditions = columns.size(), .rows = work.rows()};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      scan.columns[i] = columns[i].data();
      scan.lower[i] = boxes.lower[i][box];
      scan.upper[i] = boxes.upper[i][box];
    }
    scan_box(space, scan, counts.data() + box);
  });
  require_right(counts.to_host() == boxes.counts, "the scan", "count");
  return runs;
}

// The points of one set of columns.
class FilterRun {
 public:
  FilterRun(Session& session, const BoxColumns& rule) : session_(session), rule_(rule) {}

  void scan(const Spec& spec, const std::string& device) {
    for (const double share : shares)
      add("scan on " + device + ", count", share, [&] {
        Outcome outcome{.index = "scan@" + device};
        outcome.measured = {{"lookup_ms", time_scans(session_.space_for(spec), work(),
                                                     boxes(share, singles(share)), effort())}};
        return outcome;
      });
  }

  void measure(const Contestant& contestant) {
    std::optional<FilterIndex> built;
    const auto index = [&]() -> const FilterIndex& {
      if (!built) built.emplace(session_.space_for(contestant.spec), contestant.spec, work());
      return *built;
    };
    const auto point = [&](const std::string& what, double share, std::size_t count,
                           const auto& time, bool has_rate = false) {
      add(series_of(contestant, what), share, [&] {
        const FilterIndex& on = index();
        const Boxes& some = boxes(share, count);
        const BoxQueries queries(on.space, work(), some);
        Outcome outcome{.index = on.index->spec().text()};
        outcome.measured = {{"lookup_ms", time(on, queries, some)}, {"build_ms", {on.build_ms}}};
        if (has_rate) outcome.measured.push_back(rows_per_second(outcome, some));
        for (Measured& rays : count_rays(on, queries, some))
          outcome.measured.push_back(std::move(rays));
        return outcome;
      });
    };
    for (const double share : shares) {
      point("count", share, singles(share),
            [&](const auto& on, const auto& queries, const auto& some) {
              return time_box_counts(on, queries, some, 1, effort());
            });
      point("rows", share, singles(share),
            [&](const auto& on, const auto& queries, const auto& some) {
              return time_rows(on, queries, work(), some, effort());
            });
      point("bitmap", share, singles(share),
            [&](const auto& on, const auto& queries, const auto& some) {
              return time_bitmaps(on, queries, work(), some, effort());
            });
      if (share > max_batch_share) continue;
      point(fmt::format("counts of {} boxes", batch()), share, batch(),
            [&](const auto& on, const auto& queries, const auto& some) {
              return time_box_counts(on, queries, some, some.size(), effort());
            });
      if (share != rate_share) continue;
      point(
          fmt::format("rows of {} boxes", batch()), share, batch(),
          [&](const auto& on, const auto& queries, const auto& some) {
            return time_rows_of_batch(on, queries, work(), some, effort());
          },
          true);
    }
  }

 private:
  static constexpr double shares[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.5};
  static constexpr double max_batch_share = 1e-3;
  static constexpr double rate_share = 1e-4;  // of the rows of a batch

  [[nodiscard]] const Effort& effort() const { return session_.settings().effort; }
  // Checking every row of large boxes takes longer than finding them.
  [[nodiscard]] std::size_t singles(double share) const {
    return session_.pick(4, 16, 32) / (share > 0.1 ? 4 : 1);
  }
  [[nodiscard]] std::size_t batch() const { return std::size_t{1} << session_.pick(6, 12, 16); }
  [[nodiscard]] const BoxWork& work() {
    if (!work_) work_.emplace(rule_, std::size_t{1} << session_.pick(12, 22, 26));
    return *work_;
  }
  [[nodiscard]] const Boxes& boxes(double share, std::size_t count) {
    const auto found = boxes_.find({share, count});
    if (found != boxes_.end()) return found->second;
    return boxes_.emplace(std::pair(share, count), work().boxes(share, count)).first->second;
  }

  void add(const std::string& series, double share, const std::function<Outcome()>& measured) {
    session_.point({.series = series + ", " + rule_.name, .x = share}, [&] {
      Outcome outcome = measured();
      outcome.workload = {{"rows", work().rows()},
                          {"columns", work().columns().size()},
                          {"conditions", work().conditions().size()},
                          {"values", rule_.name},
                          {"selectivity", share}};
      return outcome;
    });
  }

  Session& session_;
  const BoxColumns& rule_;
  std::optional<BoxWork> work_;
  std::map<std::pair<double, std::size_t>, Boxes> boxes_;
};

void run_filters(Session& session) {
  const std::vector<BoxColumns> every_rule = {{"three uniform columns"},
                                              {"three correlated columns", 3, true},
                                              {"two of six uniform columns", 6, false, {1, 4}}};
  for (const BoxColumns& rule : every_rule) {
    FilterRun run(session, rule);
    std::set<std::string> scanned;  // devices
    for (const Contestant& contestant : session.contestants()) {
      const Spec& spec = contestant.spec;
      const std::string device =
          spec.device() == "cuda" || spec.tracer() == "optix" ? "cuda" : "cpu";
      if (scanned.insert(device).second) run.scan(spec, device);
      // Others have no box queries, and scenes of rays three axes.
      if (spec.kind() != "rx" || (rule.columns > 3 && spec.tracer() != "native")) continue;
      run.measure(contestant);
    }
  }
}

}  // namespace

Experiment filters_experiment() {
  return {.name = "filters",
          .title = "Filters over several columns",
          .question =
              "What do the number of rows in a box, the rows themselves and their bitmap cost, "
              "compared with a scan?",
          .figure = "none",
          .section = "",
          .x = XAxis{"selectivity", "share of all rows in a box", true},
          .metrics = {lookup_ms(),
                      build_ms(),
                      {"mrows_per_s", "throughput [million rows/s]", true, false},
                      {"rays_per_lookup", "rays of a box"},
                      {"tested_per_lookup", "tested primitives of a box"},
                      {"hits_per_lookup", "hits of a box"}},
          .run = run_filters};
}

}  // namespace rtindex::bench
