#pragma once

#include <nlohmann/json.hpp>

#include <fstream>
#include <string>

#include "harness/timing.hpp"

namespace rtindex::bench {

// The machine that this process runs on: CPU, cores, memory, system.
[[nodiscard]] nlohmann::json machine();

// The commit of the source tree, with "+" where it has uncommitted changes; "unknown" elsewhere.
[[nodiscard]] std::string commit();

// Appends measurements to a file of JSON lines, one per measurement. Without a file it drops them.
class Records {
 public:
  // `command` is how the records can be made again.
  Records(const std::string& path, std::string experiment, std::string command);

  // One measurement: what was measured, on which index, under which workload.
  void add(const std::string& index, const nlohmann::json& workload, const std::string& metric,
           double value, const std::vector<double>& runs = {});

 private:
  std::ofstream file_;
  nlohmann::json common_;
};

}  // namespace rtindex::bench
