#pragma once

#include <memory>

#include "execution/cuda/locator.hpp"

namespace rtindex::cuda {

// A B+-tree over a column in key order, searched by `group` threads together (1, 2, 4, 8 or 16).
[[nodiscard]] std::unique_ptr<Locator> make_tree(const DeviceOrder& order, int group,
                                                 const std::shared_ptr<DeviceMemory>& memory,
                                                 cudaStream_t stream);

}  // namespace rtindex::cuda
