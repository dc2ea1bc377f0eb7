#pragma once

#include <memory>

#include "engine/cuda/locator.hpp"

namespace rtindex::cuda {

// The native tracer's grid over a column in key order (pairs), with so many keys in a cell on
// average. Building it sets the statistics of the order.
[[nodiscard]] std::unique_ptr<Locator> make_grid(DeviceOrder& order, int keys_per_cell,
                                                 const Queue& queue);

}  // namespace rtindex::cuda
