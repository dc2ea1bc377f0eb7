#pragma once

#include <optional>
#include <string>
#include <vector>

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
  bool left = false;
  bool profiled = false;
  bool list = false;
  bool json = false;
};

// Measures what is asked for and shows it beside the published figures.
void run_experiments(const BenchOptions& options);

// For every experiment its name and how many of its points are not in the output yet.
void print_points_left(const BenchOptions& options);

}  // namespace rtindex::cli
