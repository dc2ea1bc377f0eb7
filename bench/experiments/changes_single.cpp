// Changes of one row, each followed by the first lookups of the new version: by one thread, and
// beside another that looks up.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "experiments/changing_index.hpp"
#include "experiments/experiments.hpp"

namespace rtindex::bench {

namespace {

using Microseconds = std::vector<double>;

template <class Work>
double microseconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

double percentile(Microseconds& times, double share) {
  const auto at = static_cast<std::size_t>(share * static_cast<double>(times.size() - 1));
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(at), times.end());
  return times[at];
}

// A table of random keys with included values, of which one row changes at a time. Erased rows are
// at the start, in random order with the others.
class SingleRows {
 public:
  SingleRows(const Spec& spec, std::size_t rows) : keys_(rows), values_(rows), order_(rows) {
    for (std::size_t row = 0; row < rows; ++row) {
      keys_[row] = random_();
      values_[row] = row % 1000;
      order_[row] = static_cast<std::uint32_t>(row);
      sum_ += values_[row];
    }
    std::shuffle(order_.begin(), order_.end(), random_);
    index_.emplace(build(keys_, spec, {.include = values_}));
  }

  void change(const std::string& kind) {
    const std::uint64_t key = random_();
    const std::uint64_t value = key % 1000;
    if (kind == "insert") {
      index_->insert(std::vector{key}, std::vector{value});
      values_.push_back(value);
      sum_ += value;
      return;
    }
    if (kind == "erase") {
      const std::uint32_t row = order_[erased_++];
      index_->erase(std::vector{row});
      sum_ -= values_[row];
      return;
    }
    const std::size_t valid = order_.size() - erased_;
    const std::uint32_t row = order_[erased_ + random_() % valid];
    if (kind == "update") return index_->update(std::vector{row}, std::vector{key});
    index_->set_included(std::vector{row}, std::vector{value});
    sum_ += value - values_[row];
    values_[row] = value;
  }
  // The first count, sum and rows: of all rows but those at the ends, and of some hundred.
  void look_up() {
    const std::uint64_t quarter = std::uint64_t{1} << 62;
    const std::uint64_t first = random_();
    const std::uint64_t some = (std::uint64_t{1} << 63) / (values_.size() / 200 + 1);
    found_ = index_->range(std::vector{quarter, first}, std::vector{3 * quarter, first + some},
                           Answer::count | Answer::sum);
    rows_ = index_->range(std::vector{first}, std::vector{first + some}, Answer::rows);
  }
  void check() const {
    const Answers all =
        index_->range(std::vector{std::uint64_t{0}}, std::vector{~std::uint64_t{0}}, Answer::sum);
    if (all.sum_as<std::uint64_t>()[0] != sum_)
      throw WrongAnswer(index_->spec().text() + " has a wrong sum after changes of single rows");
  }
  [[nodiscard]] const Index& index() const { return *index_; }

 private:
  std::mt19937_64 random_{column_seed};
  std::vector<std::uint64_t> keys_, values_;
  std::vector<std::uint32_t> order_;
  std::size_t erased_ = 0;
  std::uint64_t sum_ = 0;
  std::optional<Index> index_;
  std::optional<Answers> found_, rows_;
};

// Looks up on another thread as long as it lives.
class LookingUp {
 public:
  explicit LookingUp(const Index& index)
      : thread_([this, &index] {
          std::mt19937_64 random(lookup_seed);
          do {  // once at least
            const std::vector<std::uint64_t> keys = {random()};
            times_.push_back(microseconds(
                [&] { static_cast<void>(index.lookup(keys, Answer::count | Answer::sum)); }));
          } while (!stopped_);
        }) {}
  ~LookingUp() { stop(); }
  LookingUp(const LookingUp&) = delete;
  LookingUp& operator=(const LookingUp&) = delete;

  Microseconds& stop() {
    stopped_ = true;
    if (thread_.joinable()) thread_.join();
    return times_;
  }

 private:
  std::atomic<bool> stopped_ = false;
  Microseconds times_;
  std::thread thread_;
};

void add_percentiles(Outcome& outcome, const std::string& name, Microseconds& times) {
  outcome.measured.push_back({name + "_p50_us", {percentile(times, 0.5)}});
  outcome.measured.push_back({name + "_p99_us", {percentile(times, 0.99)}});
  outcome.measured.push_back({name + "_p999_us", {percentile(times, 0.999)}});
}

Outcome time_single_rows(Session& session, const Contestant& contestant, const std::string& kind,
                         bool has_reader) {
  const std::size_t changes = session.pick(100, 1 << 17, 1 << 17);
  const std::size_t rows = changing_keys(session, contestant);
  SingleRows table(contestant.spec, rows);
  const auto next = [&](std::size_t i) -> std::string {
    static const std::vector<std::string> kinds = {"insert", "update", "erase", "set_included"};
    return kind == "all" ? kinds[i % kinds.size()] : kind;
  };
  // Once: what is made for one version is changed for the next.
  for (std::size_t i = 0; i < 8; ++i) {
    table.change(next(i));
    table.look_up();
  }
  Outcome outcome{.index = table.index().spec().text()};
  Microseconds change_times, lookup_times;
  double total_us = 0;
  std::optional<LookingUp> reader;
  if (has_reader) reader.emplace(table.index());
  for (std::size_t i = 0; i < changes; ++i) {
    change_times.push_back(microseconds([&] { table.change(next(i)); }));
    total_us += change_times.back();
    if (!has_reader) lookup_times.push_back(microseconds([&] { table.look_up(); }));
  }
  outcome.measured = {{"changes_per_s", {1e6 * static_cast<double>(changes) / total_us}}};
  add_percentiles(outcome, "change", change_times);
  add_percentiles(outcome, "lookup", has_reader ? reader->stop() : lookup_times);
  table.check();
  outcome.workload = {
      {"change", kind}, {"changes", changes}, {"reader", has_reader}, {"rows", rows}};
  return outcome;
}

void run_single_rows(Session& session) {
  for (const Contestant& contestant : session.contestants()) {
    if (contestant.spec.kind() == "hash" || contestant.spec.tracer() == "embree") continue;
    for (const std::string kind : {"insert", "update", "erase", "set_included"})
      session.point({.series = contestant.label, .category = kind},
                    [&] { return time_single_rows(session, contestant, kind, false); });
    session.point({.series = contestant.label, .category = "all kinds, beside a reader"},
                  [&] { return time_single_rows(session, contestant, "all", true); });
  }
}

}  // namespace

Experiment changes_single_experiment() {
  std::vector<Metric> metrics = {{"changes_per_s", "throughput [changes/s]", true, false}};
  for (const std::string name : {"change", "lookup"})
    for (const std::string share : {"p50", "p99", "p999"})
      metrics.push_back(
          {fmt::format("{}_{}_us", name, share),
           fmt::format("{}, {} [us]", name == "change" ? "change of one row" : "its first lookups",
                       share)});
  return {.name = "changes-single",
          .title = "Changes of single rows",
          .question = "How long do changes of one row and the first lookups after each take?",
          .figure = "none",
          .section = "",
          .x = {},
          .metrics = metrics,
          .run = run_single_rows};
}

}  // namespace rtindex::bench
