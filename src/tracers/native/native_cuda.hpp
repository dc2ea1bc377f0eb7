#pragma once

#include <memory>

#include "storage/cuda/locator.hpp"

namespace rtindex::cuda {

// The native tracer's grid of entry points over a column in key order.
[[nodiscard]] std::unique_ptr<Locator> make_grid(const DeviceOrder& order,
                                                 const std::shared_ptr<DeviceMemory>& memory,
                                                 cudaStream_t stream);

}  // namespace rtindex::cuda
