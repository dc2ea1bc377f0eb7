#pragma once

#include <memory>

#include "engine/cuda/position_searcher.hpp"

namespace rtindex::cuda {

// Binary search over keys in key order.
[[nodiscard]] std::unique_ptr<PositionSearcher> make_binary_search(const DeviceOrder& order);

}  // namespace rtindex::cuda
