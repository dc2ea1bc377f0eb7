#pragma once

#include <memory>

#include "engine/cuda/position_searcher.hpp"

namespace rtindex::cuda {

// A B+-tree over keys in key order, searched by `group` threads together (1, 2, 4, 8 or 16).
[[nodiscard]] std::unique_ptr<PositionSearcher> make_tree(const DeviceOrder& order, int group,
                                                          const Queue& queue);

}  // namespace rtindex::cuda
