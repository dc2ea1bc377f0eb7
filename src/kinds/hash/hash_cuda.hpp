#pragma once

#include <memory>

#include "engine/cuda/position_searcher.hpp"

namespace rtindex::cuda {

// A hash table over keys that it extracts from the order: points only. `group`: threads that probe
// together, 1 to 32; `load`: the share of slots in use.
[[nodiscard]] std::unique_ptr<PositionSearcher> make_table(DeviceOrder& order, int group,
                                                           double load, const Queue& queue);

}  // namespace rtindex::cuda
