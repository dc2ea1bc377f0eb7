#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record.hpp"

namespace rtindex::bench {

// Nsight Compute's metrics of one kernel, by name.
struct KernelProfile {
  std::string kernel;
  std::map<std::string, double> metrics;
};

// The kernels, in launch order, in the output of `ncu --csv --print-units base`; lines before the
// table are skipped.
[[nodiscard]] std::vector<KernelProfile> kernels_in(std::string_view csv);

// The metrics to pass to Nsight Compute, separated by commas.
[[nodiscard]] std::string profiler_metrics();

// Records with the metrics of every point, merged over its kernels. `points` are the records of the
// profiled run, which launched a marker kernel before the kernels of each. Points that were not
// measured are returned unchanged.
[[nodiscard]] std::vector<Record> profile_records(const std::vector<Record>& points,
                                                  const std::vector<KernelProfile>& kernels);

}  // namespace rtindex::bench
