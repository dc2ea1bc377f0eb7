#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/experiment.hpp"
#include "harness/record.hpp"

namespace CLI {
class App;  // not its header, which takes seconds to compile
}

namespace rtindex::cli {

struct BenchOptions {
  std::vector<std::string> names;
  std::string scale = "laptop";
  std::vector<std::string> indexes;
  double limit_s = 300;
  int runs = 5;
  double runs_limit_s = 300;
  std::string output;
  std::string column_file;
  std::string note;
  std::optional<double> minutes;
  bool go_on = false;
  bool dry_run = false;
  bool profiled = false;
  bool list = false;
  bool json = false;
};

// Measures the experiments and prints the results with the published figures.
void run_experiments(const BenchOptions& options);

// Prints each experiment with the number of points that its output does not contain yet.
void print_remaining_points(const BenchOptions& options);

// The results of an experiment as tables, one per metric: a row per series, a column per x value or
// category, the published series last. Then the reasons for missing values.
[[nodiscard]] std::string result_tables(const bench::Experiment& experiment,
                                        const std::vector<bench::Record>& ours,
                                        const std::vector<bench::Record>& published);

// The verbs of `rtindex bench`: the paper's claims, and records of profiles.
void add_claims(CLI::App& bench);
void add_profiles(CLI::App& bench);

}  // namespace rtindex::cli
