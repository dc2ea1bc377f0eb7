#pragma once

#include <functional>
#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "workload/lookups.hpp"

namespace rtindex::bench {

// How much a point may take: one warm-up and `runs` runs. A point whose batch would take longer
// than the limit is given up; where all runs together would take longer than theirs, the first run
// is the only one (section 3.1).
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

// What came of a point.
struct Outcome {
  std::string index;  // the full spec
  std::string status = "ok";
  std::string reason = {};
  std::vector<Measured> measured = {};
  nlohmann::json workload = nlohmann::json::object();

  // The runs of a metric; they must be there.
  [[nodiscard]] const std::vector<double>& runs(const std::string& metric) const;
  // Adds a metric that is a function of another one, run by run.
  void derive(const std::string& metric, const std::string& from, double factor);
  // Adds what another measurement of the same index found; its failure is the failure of both.
  void append(const Outcome& other);
};

// How a batch is fired.
struct Firing {
  bool sorted = false;  // sort it first, and report sort_ms, lookup_ms and their total_ms
  std::size_t batches = 1;
  bool included = false;  // add up the values that the index includes, not those of the column
};

// Fires the lookups at the index and takes lookup_ms. Every sum of every run is compared with the
// expected one; WrongAnswer ends the experiment. Column and lookups are in the same place.
[[nodiscard]] Outcome time_lookups(const Index& index, const Column& column, const Lookups& lookups,
                                   const Effort& effort, const Firing& firing = {});

// Fires them once to warm up and once for a profiler, checked as well. What the profiler saw is not
// known here: the only metric is profiled_lookups, their number.
[[nodiscard]] Outcome profile_lookups(const Index& index, const Column& column,
                                      const Lookups& lookups, const Effort& effort);

struct Builds {
  // build_ms, resident_bytes, build_peak_bytes, and the parts of the last build where it tells.
  Outcome outcome;
  Index last;
};

// Calls `build` again and again.
[[nodiscard]] Builds time_builds(const Column& column, const std::function<Index()>& build,
                                 const Effort& effort);

struct Updates {
  Outcome outcome;  // update_ms, and the parts of the last update where the index tells
  Index last;
};

// Updates an index that `build` has made anew before every run: an update that follows another one
// might start from a worse structure. Builds are not timed, but count where all runs together may
// not take longer than their limit.
[[nodiscard]] Updates time_updates(const Column& column, const std::function<Index()>& build,
                                   const std::function<void(Index&)>& update, const Effort& effort);

}  // namespace rtindex::bench
