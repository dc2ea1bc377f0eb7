#pragma once

#include <string>
#include <vector>

#include "gpu/gpu_report.hpp"

namespace rtindex::bench {

// The time of small batches in device memory, `any`, on a stream of their own: until the call
// returns, and until the answers are complete. Both also for the replay of a CUDA graph that was
// captured from the call, and for the launch of an empty kernel.
void measure_latency(GpuReport& report, int key_bits, const std::vector<std::string>& indexes);

}  // namespace rtindex::bench
