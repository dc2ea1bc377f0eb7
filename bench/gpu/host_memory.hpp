#pragma once

#include <string>
#include <vector>

#include "gpu/gpu_report.hpp"

namespace rtindex::bench {

// Lookups, answers, values, builds and changes with data in host memory: pinned, pageable, and
// pageable memory that is registered for the call. Times are those of the caller, by the clock of
// the host.
void measure_host_memory(GpuReport& report, const std::vector<std::string>& indexes, int key_bits,
                         int lookup_bits);

}  // namespace rtindex::bench
