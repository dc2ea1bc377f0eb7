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
#include "harness/places.hpp"
#include "harness/records.hpp"

namespace rtindex::bench {

enum class Scale : std::uint8_t { smoke, laptop, paper };
[[nodiscard]] std::string name_of(Scale scale);
[[nodiscard]] Scale scale_named(const std::string& name);

// What the user chose.
struct Settings {
  Scale scale = Scale::laptop;
  std::vector<Contestant> contestants;
  // Who takes part in experiments about rays where none of them traces any.
  std::vector<Contestant> substitutes = {};
  Effort effort;
  bool profiled = false;    // a profiler looks on: profiles are points, all else is not
  std::string column_file;  // for experiments on real data
  std::string note;         // about the circumstances, kept with every record
};

// Where a point lies: its curve, and its place on the x axis or its name.
struct Where {
  std::string series;
  std::optional<double> x = {};
  std::string category = {};
};

// Runs experiments point by point: skips points that are known, writes what came of the others. An
// experiment describes its points by calling `point`; while points are only counted, nothing is
// measured and no workload is made.
class Session {
 public:
  // Called before a point is measured; it may throw to end the session.
  using Announce = std::function<void(const Experiment& experiment, const Where& where)>;

  Session(Settings settings, Records& records, std::vector<Record> known, Announce announce);

  [[nodiscard]] std::size_t points_to_measure(const Experiment& experiment);
  void run(const Experiment& experiment);
  // Everything known of an experiment by now.
  [[nodiscard]] std::vector<Record> results(const std::string& experiment) const;

  // What experiments ask for.
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const std::vector<Contestant>& contestants() const { return settings_.contestants; }
  // Where the workloads of an index of this spec are made.
  [[nodiscard]] Place& place_for(const Spec& spec) { return places_.for_spec(spec); }
  // Those that trace rays; a record tells where there are none.
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
  void point(const Where& where, const std::function<Outcome()>& measure);
  // A point that cannot be measured here, and why.
  void unsupported(const std::string& reason);

 private:
  void add(const Where& where, const Outcome& outcome, double elapsed_s);
  void add_record(Record record);

  Settings settings_;
  Places places_;
  Records& records_;
  std::vector<Record> known_;
  std::set<std::string> done_;
  Announce announce_;
  const Experiment* experiment_ = nullptr;
  bool is_counting_ = false;
  std::set<std::string> counted_;
};

}  // namespace rtindex::bench
