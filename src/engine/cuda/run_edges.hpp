#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "engine/cuda/lookup_view.hpp"
#include "order/cuda/device_order.hpp"

namespace rtindex::cuda {

// The first or last valid row of each run of positions, for position searchers without find_edges()
// and for keys that are compared in full.
void edges_of_runs(const Run* runs, std::size_t count, const DeviceOrder& order,
                   const EdgeTarget& target, cudaStream_t stream);

}  // namespace rtindex::cuda
