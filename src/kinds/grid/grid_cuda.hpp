#pragma once

#include <memory>

#include "engine/cuda/position_searcher.hpp"

namespace rtindex::cuda {

// A grid over keys in key order; nothing over a sequence of keys.
[[nodiscard]] std::unique_ptr<PositionSearcher> make_grid(DeviceOrder& order, int keys_per_cell,
                                                          const Queue& queue);
// make_grid() over keys without rowIDs.
[[nodiscard]] std::unique_ptr<PositionSearcher> make_sorted_grid(DeviceOrder& order,
                                                                 int keys_per_cell,
                                                                 const Queue& queue);

}  // namespace rtindex::cuda
