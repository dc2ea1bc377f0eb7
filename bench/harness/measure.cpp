#include "harness/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace rtindex::bench {

namespace {

// The shares of a batch that run first to estimate its time: from a small one to a sufficient one.
constexpr std::size_t first_share = 1 << 18;
constexpr std::size_t share_growth = 16;
constexpr std::size_t pilot_share = 64;

// One batch of lookups on one index, with its output and the expected sums.
class BatchRun {
 public:
  BatchRun(const Index& index, const Column& column, const Lookups& lookups,
           const RunOptions& options)
      : space_(column.space()),
        index_(index),
        column_(column.data()),
        name_(index.spec().text()),
        lookups_(lookups),
        batch_(std::max<std::size_t>(1, lookups.size() / options.batches)),
        values_(options.included ? ColumnView() : view_of(column.values)),
        any_(options.any),
        nearest_(options.nearest),
        sums_(space_, lookups.size()) {
    if (any_ || nearest_) rows_ = WorkloadArray<std::uint32_t>(space_, lookups.size());
    if (!options.sorted) return;
    sorted_expected_ = expected_in_key_order(lookups, batch_);
    sorted_ = KeyArray(space_, lookups.lower.bits(), lookups.size());
    sorter_ = space_.sorter(batch_, lookups.lower.bits());
  }

  struct Times {
    double sort_ms = 0;
    double lookup_ms = 0;
  };

  // Runs the first `size` lookups and checks their sums.
  Times run(std::size_t size) {
    const double sort_ms = sorter_ ? sort(size) : 0;
    poison();
    const double lookup_ms = space_.milliseconds([&] { look_up(size); });
    check(size);
    return {sort_ms, lookup_ms};
  }

  void run_for_profiler() {
    poison();
    space_.profile([&] { look_up(lookups_.size()); });
    check(lookups_.size());
  }

 private:
  [[nodiscard]] double sort(std::size_t size) {
    space_.copy(sorted_.data().data, lookups_.lower.data().data, sorted_.bytes());
    return space_.milliseconds([&] {
      each_batch(size,
                 [&](auto first, auto count) { sorter_->sort(sorted_.data().from(first), count); });
    });
  }

  void poison() {
    space_.poison(sums_.data(), sums_.bytes());
    if (!rows_.empty()) space_.poison(rows_.data(), rows_.bytes());
  }

  void look_up(std::size_t size) {
    each_batch(size, [&](auto first, auto count) { look_up(first, count); });
  }

  void check(std::size_t size) {
    // The prefix of a batch, sorted, is not a prefix of the sorted batch.
    if (sorter_ && size % batch_ != 0 && size != lookups_.size()) return;
    const auto& expected = sorter_ ? sorted_expected_ : lookups_.expected;
    if (nearest_) space_.run(WidenRows{rows_.data(), sums_.data()}, size);
    if (any_)
      space_.run(
          KeysOfRows{column_.keys, column_.size, rows_.data(), expected.data(), sums_.data()},
          size);
    check_sums(space_, sums_.span().first(size), expected.span().first(size), name_);
  }

  template <class Work>
  void each_batch(std::size_t size, const Work& work) const {
    for (std::size_t first = 0; first < size; first += batch_)
      work(first, std::min(batch_, size - first));
  }

  void look_up(std::size_t first, std::size_t count) {
    const ColumnView lower = sorter_ ? sorted_.slice(first, count) : lookups_.slice(first, count);
    if (nearest_) {
      index_.answer_into(Query::nearest(lower, *nearest_), {.answers = Answer::any},
                         {.any = rows_.data() + first, .memory_space = space_.memory()});
      return;
    }
    if (any_) {
      index_.answer_into(Query::equal(lower), {.answers = Answer::any},
                         {.any = rows_.data() + first, .memory_space = space_.memory()});
      return;
    }
    const AnswerOptions options{.answers = Answer::sum, .values = values_};
    const Outputs outputs{.sum = sums_.data() + first, .memory_space = space_.memory()};
    if (lookups_.are_ranges())
      index_.answer_into(Query::range(lower, lookups_.upper.slice(first, count)), options, outputs);
    else
      index_.answer_into(Query::equal(lower), options, outputs);
  }

  ExecutionSpace& space_;
  const Index& index_;
  ColumnData column_;
  std::string name_;
  const Lookups& lookups_;
  std::size_t batch_;
  ColumnView values_;
  bool any_;
  std::optional<NearestOptions> nearest_;
  WorkloadArray<std::uint64_t> sums_;
  WorkloadArray<std::uint32_t> rows_;  // of keys or neighbours
  // For lookups that are sorted first.
  std::unique_ptr<ExecutionSpace::Sorter> sorter_;
  KeyArray sorted_;
  WorkloadArray<std::uint64_t> sorted_expected_;
};

// The outcome of a batch before it runs: its workload, and whether the index supports it.
Outcome outcome_of(const Index& index, const Column& column, const Lookups& lookups,
                   const RunOptions& options) {
  Outcome outcome{.index = index.spec().text()};
  outcome.workload.update(column.about);
  outcome.workload.update(lookups.about);
  outcome.workload.update({{"sorted", options.sorted}, {"batches", options.batches}});
  const QueryKind kind = options.nearest        ? QueryKind::nearest
                         : lookups.are_ranges() ? QueryKind::range
                                                : QueryKind::equal;
  const Answer answer = options.any || options.nearest ? Answer::any : Answer::sum;
  if (index.supports(answer, kind)) return outcome;
  outcome.status = "unsupported";
  outcome.reason = fmt::format("{} of {} lookups is not supported", name_of(answer), name_of(kind));
  return outcome;
}

// A small share of the lookups shows whether the whole batch would exceed the limit. Shares grow up
// to that one, because a launch cannot be cancelled: after the first, none is started that would
// exceed the limit by itself, estimated from the one before it.
std::optional<std::string> too_slow(BatchRun& batch, std::size_t size, double limit_s) {
  for (std::size_t share = first_share; share >= pilot_share; share /= share_growth) {
    const std::size_t pilot = size / share;
    if (pilot == 0) continue;
    const BatchRun::Times run = batch.run(pilot);
    const double seconds = (run.sort_ms + run.lookup_ms) / 1000;
    const std::size_t factor = share == pilot_share ? pilot_share : share_growth;
    if (seconds * static_cast<double>(factor) > limit_s)
      return fmt::format("{} of {} lookups took {:.1f} s; the limit is {:.0f} s for all", pilot,
                         size, seconds, limit_s);
  }
  return std::nullopt;
}

// Whether the lookups would exceed the limit, which is then recorded in the outcome.
bool timed_out(Outcome& outcome, BatchRun& batch, std::size_t size, const Effort& effort) {
  const auto reason = too_slow(batch, size, effort.limit_s);
  if (!reason) return false;
  outcome.status = "timed out";
  outcome.reason = *reason;
  return true;
}

// The runs after a warm-up. If they would exceed their limit, the first run is the only one: it is
// long enough to need no warm-up.
template <class Run>
std::vector<Run> runs_of(const Effort& effort, const std::function<Run()>& run,
                         const std::function<double(const Run&)>& milliseconds) {
  const Run first = run();
  if (milliseconds(first) / 1000 * effort.runs > effort.runs_limit_s) return {first};
  std::vector<Run> runs(static_cast<std::size_t>(effort.runs));
  std::generate(runs.begin(), runs.end(), run);
  return runs;
}

}  // namespace

void check_sums(ExecutionSpace& space, std::span<const std::uint64_t> sums,
                std::span<const std::uint64_t> expected, const std::string& index) {
  if (sums.size() != expected.size())
    throw WrongAnswer(
        fmt::format("{}: expected {} answers, got {}", index, expected.size(), sums.size()));
  const std::size_t wrong = space.first_mismatch(sums.data(), expected.data(), sums.size());
  if (wrong == sums.size()) return;
  std::uint64_t given = 0;
  std::uint64_t right = 0;
  space.copy_to_host(&given, &sums[wrong], sizeof(given));
  space.copy_to_host(&right, &expected[wrong], sizeof(right));
  throw WrongAnswer(fmt::format("{}: wrong answer to lookup {} of {}: expected {}, got {}", index,
                                wrong, sums.size(), right, given));
}

const std::vector<double>& Outcome::runs(const std::string& metric) const {
  const auto found = std::find_if(measured.begin(), measured.end(),
                                  [&](const Measured& m) { return m.metric == metric; });
  if (found == measured.end()) throw std::logic_error("no runs of " + metric);
  return found->runs;
}

void Outcome::derive(const std::string& metric, const std::string& from, double factor) {
  if (status != "ok") return;
  std::vector<double> derived = runs(from);
  for (double& run : derived) run *= factor;
  measured.push_back({metric, std::move(derived)});
}

void Outcome::append(const Outcome& other) {
  if (!other.index.empty()) index = other.index;
  if (status == "ok") {
    status = other.status;
    reason = other.reason;
  }
  measured.insert(measured.end(), other.measured.begin(), other.measured.end());
  workload.update(other.workload);
}

Outcome profile_lookups(const Index& index, const Column& column, const Lookups& lookups,
                        const Effort& effort) {
  Outcome outcome = outcome_of(index, column, lookups, {});
  if (outcome.status != "ok") return outcome;
  BatchRun batch(index, column, lookups, {});
  if (timed_out(outcome, batch, lookups.size(), effort)) return outcome;
  static_cast<void>(batch.run(lookups.size()));
  batch.run_for_profiler();
  outcome.measured = {{"profiled_lookups", {static_cast<double>(lookups.size())}}};
  return outcome;
}

Outcome time_lookups(const Index& index, const Column& column, const Lookups& lookups,
                     const Effort& effort, const RunOptions& options) {
  Outcome outcome = outcome_of(index, column, lookups, options);
  if (outcome.status != "ok") return outcome;
  BatchRun batch(index, column, lookups, options);
  if (timed_out(outcome, batch, lookups.size(), effort)) return outcome;
  const auto runs = runs_of<BatchRun::Times>(
      effort, [&] { return batch.run(lookups.size()); },
      [](const BatchRun::Times& run) { return run.sort_ms + run.lookup_ms; });
  Measured sort_ms{"sort_ms", {}}, lookup_ms{"lookup_ms", {}}, total_ms{"total_ms", {}};
  for (const BatchRun::Times& run : runs) {
    sort_ms.runs.push_back(run.sort_ms);
    lookup_ms.runs.push_back(run.lookup_ms);
    total_ms.runs.push_back(run.sort_ms + run.lookup_ms);
  }
  outcome.measured = {lookup_ms};
  if (options.sorted) outcome.measured = {lookup_ms, sort_ms, total_ms};
  return outcome;
}

Builds time_builds(const Column& column, const std::function<Index()>& build,
                   const Effort& effort) {
  std::optional<Index> index;
  const auto build_ms = runs_of<double>(
      effort,
      [&] {
        index.reset();
        return column.space().milliseconds([&] { index.emplace(build()); });
      },
      [](double ms) { return ms; });
  const MemoryUsage bytes = index->memory_usage();
  Outcome outcome{.index = index->spec().text()};
  outcome.workload = column.about;
  outcome.measured = {{"build_ms", build_ms},
                      {"resident_bytes", {static_cast<double>(bytes.resident)}},
                      {"build_peak_bytes", {static_cast<double>(bytes.build_peak)}}};
  for (const auto& [name, value] : index->build_profile())
    outcome.measured.push_back({name, {value}});
  return {std::move(outcome), std::move(*index)};
}

Updates time_updates(const Column& column, const std::function<Index()>& build,
                     const std::function<void(Index&)>& update, const Effort& effort) {
  struct Run {
    double build_ms = 0;
    double update_ms = 0;
  };
  ExecutionSpace& space = column.space();
  std::optional<Index> index;
  const auto runs = runs_of<Run>(
      effort,
      [&] {
        index.reset();
        Run run;
        run.build_ms = space.milliseconds([&] { index.emplace(build()); });
        run.update_ms = space.milliseconds([&] { update(*index); });
        return run;
      },
      [](const Run& run) { return run.build_ms + run.update_ms; });
  Measured update_ms{"update_ms", {}};
  for (const Run& run : runs) update_ms.runs.push_back(run.update_ms);
  Outcome outcome{.index = index->spec().text()};
  outcome.workload = column.about;
  outcome.measured = {update_ms};
  for (const auto& [name, value] : index->build_profile())
    outcome.measured.push_back({name, {value}});
  return {std::move(outcome), std::move(*index)};
}

}  // namespace rtindex::bench
