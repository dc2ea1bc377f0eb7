#pragma once

#include <string>
#include <vector>

#include "gpu/gpu_report.hpp"

namespace rtindex::bench {

// Columns of strings in Arrow's layout: built and looked up in device memory, and from host memory.
void measure_strings(GpuReport& report, const std::vector<std::string>& indexes, int key_bits);

}  // namespace rtindex::bench
