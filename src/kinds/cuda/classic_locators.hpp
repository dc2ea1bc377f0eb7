#pragma once

#include <memory>

#include "engine/cuda/locator.hpp"

namespace rtindex::cuda {

// Binary search over a column in key order.
[[nodiscard]] std::unique_ptr<Locator> make_binary_search(const DeviceOrder& order);

// A B+-tree over a column in key order, searched by `group` threads together (1, 2, 4, 8 or 16).
[[nodiscard]] std::unique_ptr<Locator> make_tree(const DeviceOrder& order, int group,
                                                 const Queue& queue);

// A hash table over a column in key order, which loses its keys to it: points only.
// `group`: threads that probe together, 1 to 32; `load`: the share of slots in use.
[[nodiscard]] std::unique_ptr<Locator> make_table(DeviceOrder& order, int group, double load,
                                                  const Queue& queue);

}  // namespace rtindex::cuda
