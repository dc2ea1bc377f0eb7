// Lookups by one thread while another one changes the index.

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <thread>

#include "experiments/changing_index.hpp"
#include "experiments/experiments.hpp"

namespace rtindex::bench {

namespace {

constexpr std::size_t lookups_per_call = std::size_t{1} << 12;

// Runs a function again and again on another thread until it is destroyed or stopped.
class Background {
 public:
  explicit Background(std::function<void()> work)
      : thread_([this, work = std::move(work)] {
          try {
            for (; !stopped_; ++done_) work();
          } catch (...) {
            failure_ = std::current_exception();
          }
        }) {}
  ~Background() {
    stopped_ = true;
    if (thread_.joinable()) thread_.join();
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  [[nodiscard]] std::size_t done() const { return done_; }
  // Rethrows an exception of the work.
  void stop() {
    stopped_ = true;
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::atomic<bool> stopped_ = false;
  std::atomic<std::size_t> done_ = 0;
  std::exception_ptr failure_;
  std::thread thread_;
};

// Calls with lookups and answers of their own, in turn, on a stream of their own.
class Reader {
 public:
  Reader(const ChangingIndex& changing, std::size_t calls)
      : index_(changing.index()),
        values_(changing.table().column().values),
        lookups_(changing.table().hits_on_unchanged(calls * lookups_per_call, lookup_seed)),
        sums_(changing.table().space(), lookups_.size()),
        queue_(changing.table().space().queue()) {
    space().poison(sums_.data(), sums_.bytes());
    space().wait();
  }

  // The milliseconds of the next call, from the call to its answers.
  double call() {
    const std::size_t first = next_;
    next_ = (next_ + lookups_per_call) % lookups_.size();
    const auto start = std::chrono::steady_clock::now();
    index_.answer_into(Query::equal(lookups_.lower.slice(first, lookups_per_call)),
                       {.values = view_of(values_), .stream = queue_->stream()},
                       {.sum = sums_.data() + first, .memory_space = space().memory()});
    queue_->wait();
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    return elapsed.count();
  }
  // After as many calls as there are lookups.
  void check() const {
    check_sums(space(), sums_.span(), lookups_.expected.span(), index_.spec().text());
  }
  [[nodiscard]] const Lookups& lookups() const { return lookups_; }

 private:
  [[nodiscard]] ExecutionSpace& space() const { return sums_.space(); }

  const Index& index_;
  WorkloadArray<std::uint32_t> values_;
  Lookups lookups_;
  WorkloadArray<std::uint64_t> sums_;
  std::unique_ptr<ExecutionSpace::Queue> queue_;
  std::size_t next_ = 0;
};

struct Reading {
  std::size_t calls;
  std::size_t changes;  // at least
  std::size_t rows;     // of a change; 0: none
};

Outcome time_readers(Session& session, const Contestant& contestant, const Reading& reading) {
  ChangingIndex changing(
      session.space_for(contestant.spec), contestant.spec,
      {.rows = changing_keys(session, contestant), .bits = changing_bits(session)});
  // Made before, because making a workload would delay the reader. Only updates: the value column
  // must always have as many rows as the index.
  constexpr std::size_t different = 8;
  std::vector<RowBatch> batches;
  for (std::size_t i = 0; reading.rows != 0 && i < different; ++i) {
    batches.push_back(changing.table().next(Change::update, reading.rows));
    changing.table().apply(batches.back());
  }
  Reader reader(changing, session.pick(16, 64, 64));
  for (std::size_t i = 0; i * lookups_per_call < reader.lookups().size(); ++i) reader.call();
  std::vector<double> times;
  std::size_t changes = 0;
  if (reading.rows == 0) {
    while (times.size() < reading.calls) times.push_back(reader.call());
  } else {
    Background writer([&, next = std::size_t{0}]() mutable {
      apply(batches[next], changing.index());
      next = (next + 1) % batches.size();
    });
    while (times.size() < reading.calls || writer.done() < reading.changes)
      times.push_back(reader.call());
    writer.stop();
    changes = writer.done();
  }
  reader.check();
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  Outcome outcome{.index = changing.index().spec().text()};
  outcome.workload = reader.lookups().about;
  outcome.workload.update({{"lookup_count", lookups_per_call},
                           {"calls", times.size()},
                           {"changes", changes},
                           {"rows", reading.rows}});
  outcome.measured = {{"p50_ms", {at(0.5)}}, {"p99_ms", {at(0.99)}}, {"max_ms", {times.back()}}};
  return outcome;
}

void run_readers(Session& session) {
  const std::size_t calls = session.pick(64, 2048, 8192);
  const std::size_t changes = session.pick(2, 16, 64);
  for (const Contestant& contestant : session.contestants())
    for (const int log2 : session.pick<int>({-1, 4, 8}, {-1, 10, 16, 20}, {-1, 12, 16, 20, 22})) {
      const std::size_t rows = log2 < 0 ? 0 : std::size_t{1} << log2;
      if (16 * rows > changing_keys(session, contestant)) continue;
      session.point({.series = contestant.label,
                     .category = log2 < 0 ? "no changes" : fmt::format("updates of 2^{}", log2)},
                    [&] {
                      return time_readers(session, contestant, {calls, changes, rows});
                    });
    }
}

}  // namespace

Experiment changes_readers_experiment() {
  return {.name = "changes-readers",
          .title = "Lookups during changes",
          .question =
              "How long do small batches of lookups take while another thread changes the "
              "index?",
          .figure = "none",
          .section = "",
          .x = {},
          .metrics = {{"p50_ms", "median time of a batch [ms]"},
                      {"p99_ms", "99th percentile [ms]"},
                      {"max_ms", "slowest batch [ms]"}},
          .run = run_readers};
}

}  // namespace rtindex::bench
