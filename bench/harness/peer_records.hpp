#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/records.hpp"

namespace rtindex::bench {

// The records of a program that races rtindex against others: one experiment, whose questions stand
// in the workload.
class PeerRecords {
 public:
  // `command` is how the records can be made again.
  PeerRecords(const std::string& path, std::string experiment, std::string command)
      : records_(path, std::move(command)), experiment_(std::move(experiment)) {}

  void add(const std::string& index, const nlohmann::json& workload, const std::string& metric,
           double value, const std::vector<double>& runs = {}) {
    records_.add({.experiment = experiment_,
                  .index = index,
                  .metric = metric,
                  .value = value,
                  .runs = runs,
                  .workload = workload});
  }

 private:
  Records records_;
  std::string experiment_;
};

}  // namespace rtindex::bench
