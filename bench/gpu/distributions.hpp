#pragma once

#include <string>
#include <vector>

#include "gpu/gpu_report.hpp"

namespace rtindex::bench {

// Keys distributed as in real columns, of 64 and 32 bits: build, memory and `any`, beside uniform
// keys. One line for each distribution and index; some columns are sorted already.
void compare_distributions(GpuReport& report, const std::vector<std::string>& indexes, int key_bits,
                           int lookup_bits);

}  // namespace rtindex::bench
