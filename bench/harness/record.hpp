#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace rtindex::bench {

// One measurement: a line of a results file. results/README.md explains every field.
struct Record {
  std::string experiment;
  std::string index;   // the full spec, or the name of a peer
  std::string series;  // the curve that the point belongs to
  std::optional<double> x;
  std::string category;  // for experiments without an x axis
  std::string metric;
  std::string status = "ok";         // or "timed out", "unsupported"
  std::string reason;                // of a missing value
  std::optional<double> value = {};  // the mean of the runs
  std::vector<double> runs = {};
  std::string scale = {};
  nlohmann::json workload = {};
  std::optional<double> elapsed_s = {};  // of the whole point, on its first metric
  nlohmann::json machine = {};
  std::string date = {};  // in UTC: 2026-01-31T12:00:00Z
  std::string commit = {};
  std::string version = {};
  std::string command = {};
  std::string source = {};  // the publication that a figure is quoted from

  [[nodiscard]] bool ok() const { return status == "ok" && value.has_value(); }
  // Identifies a point: experiment, series, x value or category, scale.
  [[nodiscard]] std::string point() const;
};

[[nodiscard]] nlohmann::json to_json(const Record& record);
// Throws Error if a field is missing or of the wrong type.
[[nodiscard]] Record record_from(const nlohmann::json& line);

[[nodiscard]] double mean(const std::vector<double>& runs);

}  // namespace rtindex::bench
