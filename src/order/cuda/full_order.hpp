#pragma once

#include "keys/cuda/device_keys.hpp"
#include "keys/full_keys.hpp"

namespace rtindex::cuda {

// Sorts keys with their rows by full keys, and rows of equal keys in their own order. The column
// has no pairs, and its rows ascend.
[[nodiscard]] DeviceColumn in_full_order(DeviceColumn column, const FullKeys& full,
                                         const Queue& queue);

}  // namespace rtindex::cuda
