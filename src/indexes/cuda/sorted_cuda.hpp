#pragma once

#include <memory>

#include "execution/cuda/locator.hpp"

namespace rtindex::cuda {

// Binary search over a column in key order.
[[nodiscard]] std::unique_ptr<Locator> make_binary_search(const DeviceOrder& order);

}  // namespace rtindex::cuda
