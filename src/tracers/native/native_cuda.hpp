#pragma once

#include <memory>

#include "storage/cuda/locator.hpp"

namespace rtindex::cuda {

// The native tracer's grid of entry points over a column in key order, with so many keys in a cell
// on average.
[[nodiscard]] std::unique_ptr<Locator> make_grid(const DeviceOrder& order, int keys_per_cell,
                                                 const std::shared_ptr<DeviceMemory>& memory,
                                                 cudaStream_t stream);

}  // namespace rtindex::cuda
