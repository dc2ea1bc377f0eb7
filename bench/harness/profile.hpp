#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record.hpp"

namespace rtindex::bench {

// What Nsight Compute saw of one kernel, by the names of its metrics.
struct KernelProfile {
  std::string kernel;
  std::map<std::string, double> metrics;
};

// The kernels, in the order of their launches, of what `ncu --csv --print-units base` printed;
// lines before the table are passed over.
[[nodiscard]] std::vector<KernelProfile> kernels_in(std::string_view csv);

// The metrics to ask Nsight Compute for, separated by commas.
[[nodiscard]] std::string profiler_metrics();

// Records of what the kernels of every point did together. `points` are the records of the run that
// was profiled, with one marker kernel in front of the kernels of each. Points that were not
// measured stay as they are.
[[nodiscard]] std::vector<Record> profile_records(const std::vector<Record>& points,
                                                  const std::vector<KernelProfile>& kernels);

}  // namespace rtindex::bench
