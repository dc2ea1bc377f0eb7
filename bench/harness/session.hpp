#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/contestants.hpp"
#include "harness/experiment.hpp"
#include "harness/measure.hpp"
#include "harness/records.hpp"

namespace rtindex::bench {

enum class Scale : std::uint8_t { smoke, laptop, paper };
[[nodiscard]] std::string name_of(Scale scale);
[[nodiscard]] Scale scale_named(const std::string& name);

struct Settings {
  Scale scale = Scale::laptop;
  std::vector<Contestant> contestants;
  // Measured in experiments about rays if none of the contestants traces rays.
  std::vector<Contestant> substitutes = {};
  Effort effort;
  bool profiled = false;    // run under a profiler: only profiles are measured
  std::string column_file;  // for experiments on real data
  std::string note;         // stored in every record
};

// Identifies a point: its series, and its x value or category.
struct PointId {
  std::string series;
  std::optional<double> x = {};
  std::string category = {};
};

// Runs experiments point by point: skips points that have records, measures and records the others.
// An experiment describes its points by calling `point`; while points are counted, nothing is
// measured and no workload is generated.
class Session {
 public:
  // Called before a point is measured; it may throw to end the session.
  using Announce = std::function<void(const Experiment& experiment, const PointId& id)>;

  Session(Settings settings, Records& records, std::vector<Record> known, Announce announce);

  [[nodiscard]] std::size_t points_to_measure(const Experiment& experiment);
  void run(const Experiment& experiment);
  // All records of an experiment so far.
  [[nodiscard]] std::vector<Record> results(const std::string& experiment) const;

  // For experiments.
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const std::vector<Contestant>& contestants() const { return settings_.contestants; }
  // The space for the workloads of an index of this spec.
  [[nodiscard]] ExecutionSpace& space_for(const Spec& spec) { return spaces_.for_spec(spec); }
  // Those that trace rays; records the experiment as unsupported if there are none.
  [[nodiscard]] std::vector<Contestant> ray_tracers();
  template <class T>
  [[nodiscard]] std::vector<T> pick(std::initializer_list<T> smoke, std::initializer_list<T> laptop,
                                    std::initializer_list<T> paper) const {
    return settings_.scale == Scale::smoke ? smoke
                                           : (settings_.scale == Scale::laptop ? laptop : paper);
  }
  [[nodiscard]] std::size_t pick(std::size_t smoke, std::size_t laptop, std::size_t paper) const {
    return pick<std::size_t>({smoke}, {laptop}, {paper}).front();
  }
  void point(const PointId& id, const std::function<Outcome()>& measure);
  // Records that the experiment cannot be measured here, and why.
  void unsupported(const std::string& reason);

 private:
  void add(const PointId& id, const Outcome& outcome, double elapsed_s);
  void add_record(Record record);

  Settings settings_;
  ExecutionSpaces spaces_;
  Records& records_;
  std::vector<Record> known_;
  std::set<std::string> done_;
  Announce announce_;
  const Experiment* experiment_ = nullptr;
  bool is_counting_ = false;
  std::set<std::string> counted_;
};

}  // namespace rtindex::bench
