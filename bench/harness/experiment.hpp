#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rtindex::bench {

class Session;

// The x axis. Without one, an experiment is a table of named cases.
struct XAxis {
  std::string name;   // "hit_rate"
  std::string label;  // "share of lookups that hit"
  bool log = false;
};

struct Metric {
  std::string name;   // "lookup_ms"
  std::string label;  // "time of the batch [ms]"
  bool log = true;
  std::optional<bool> lower_is_better = true;  // none: neither is better
};

// A question of the paper or our own, and how to measure it.
struct Experiment {
  std::string name;
  std::string title;
  std::string question;
  std::string figure;   // the label in the paper: "fig:hitsandmisses", "tab:build_size", "text"
  std::string section;  // of the paper; empty: ours
  std::optional<XAxis> x;
  std::vector<Metric> metrics;
  std::function<void(Session&)> run;
  std::string needs = {};                 // special requirements
  std::string command = "rtindex bench";  // before the name, to measure it
  bool compares_machines = false;         // tables show the published figures of every machine
};

inline Metric lookup_ms() { return {"lookup_ms", "time of the lookups [ms]"}; }
inline Metric sort_ms() { return {"sort_ms", "time to sort the lookups [ms]"}; }
inline Metric total_ms() { return {"total_ms", "sort and lookups together [ms]"}; }
inline Metric build_ms() { return {"build_ms", "time of the build [ms]"}; }
inline Metric resident_bytes() { return {"resident_bytes", "size of the index [bytes]"}; }
inline Metric throughput() {
  return {"mlookups_per_s", "throughput [million lookups/s]", true, false};
}

}  // namespace rtindex::bench
