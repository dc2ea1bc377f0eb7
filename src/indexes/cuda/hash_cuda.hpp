#pragma once

#include <memory>

#include "execution/cuda/locator.hpp"

namespace rtindex::cuda {

// A hash table over a column in key order, which loses its keys to it: points only.
// `group`: threads that probe together, 1 to 32; `load`: the share of slots in use.
[[nodiscard]] std::unique_ptr<Locator> make_table(DeviceOrder& order, int group, double load,
                                                  const std::shared_ptr<DeviceMemory>& memory,
                                                  cudaStream_t stream);

}  // namespace rtindex::cuda
