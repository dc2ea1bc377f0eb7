#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "workload/lookups.hpp"

namespace rtindex::bench {

// How long to measure a point: one warm-up and `runs` runs. A batch that would exceed `limit_s` is
// recorded as timed out; if all runs together would exceed `runs_limit_s`, there is one run
// (section 3.1).
struct Effort {
  int runs = 5;
  double limit_s = 300;
  double runs_limit_s = 300;
};

// The runs of one metric.
struct Measured {
  std::string metric;
  std::vector<double> runs;
};

// The result of measuring a point.
struct Outcome {
  std::string index;  // the full spec
  std::string status = "ok";
  std::string reason = {};
  std::vector<Measured> measured = {};
  nlohmann::json workload = nlohmann::json::object();

  // The runs of a metric, which must exist.
  [[nodiscard]] const std::vector<double>& runs(const std::string& metric) const;
  // Adds a metric that is a function of another one, run by run.
  void derive(const std::string& metric, const std::string& from, double factor);
  // Adds another measurement of the same index; if it failed, so did this one.
  void append(const Outcome& other);
};

// How to run a batch.
struct RunOptions {
  bool sorted = false;  // sort it first, and report sort_ms, lookup_ms and their total_ms
  std::size_t batches = 1;
  bool included = false;  // add up the index's included values, not those of the column
  bool any = false;       // find any row with the key, not sums, for lookups of `rows_in`
  // Find the rows of neighbours, not sums.
  std::optional<NearestOptions> nearest = {};
};

// An index returned a wrong answer: a bug, never a result.
class WrongAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Compares all sums, rows of neighbours or keys of rows with the expected ones, both in `space`.
// Throws WrongAnswer, which names the index and the first wrong lookup.
void check_sums(ExecutionSpace& space, std::span<const std::uint64_t> sums,
                std::span<const std::uint64_t> expected, const std::string& index);

// Runs the lookups on the index and measures lookup_ms. Every sum of every run is compared with the
// expected one; WrongAnswer ends the experiment. Column and lookups are in the same space.
[[nodiscard]] Outcome time_lookups(const Index& index, const Column& column, const Lookups& lookups,
                                   const Effort& effort, const RunOptions& options = {});

// Runs them once to warm up and once for a profiler, checked as well. The only metric here is
// profiled_lookups, their number; the profiler reports the others.
[[nodiscard]] Outcome profile_lookups(const Index& index, const Column& column,
                                      const Lookups& lookups, const Effort& effort);

struct Builds {
  // build_ms, resident_bytes, build_peak_bytes, and the build profile of the last build.
  Outcome outcome;
  Index last;
};

// Times repeated calls of `build`.
[[nodiscard]] Builds time_builds(const Column& column, const std::function<Index()>& build,
                                 const Effort& effort);

struct Updates {
  Outcome outcome;  // update_ms, and the profile of the last update
  Index last;
};

// Times `update` on an index that `build` rebuilds before every run: an update after another one
// might start from a worse structure. Builds are not in update_ms, but count for runs_limit_s.
[[nodiscard]] Updates time_updates(const Column& column, const std::function<Index()>& build,
                                   const std::function<void(Index&)>& update, const Effort& effort);

}  // namespace rtindex::bench
