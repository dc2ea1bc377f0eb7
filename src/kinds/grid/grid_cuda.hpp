#pragma once

#include <memory>

#include "engine/cuda/position_searcher.hpp"

namespace rtindex::cuda {

// A grid over keys in key order.
[[nodiscard]] std::unique_ptr<PositionSearcher> make_grid(DeviceOrder& order, int keys_per_cell,
                                                          const Queue& queue);

}  // namespace rtindex::cuda
