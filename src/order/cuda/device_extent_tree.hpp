#pragma once

#include <cstddef>
#include <cstdint>

#include "answers/cuda/run.hpp"
#include "base/cuda/device_array.hpp"
#include "keys/cuda/device_keys.hpp"

namespace rtindex::cuda {

// An ExtentTree (order/extent_tree.hpp) as kernels read it, but with as many entries in a node as a
// warp has lanes. Every level has whole, aligned nodes.
template <class Key>
struct ExtentTreeView {
  static constexpr std::uint32_t log2_fan_out = 5;
  static constexpr std::uint32_t fan_out = 1U << log2_fan_out;
  static constexpr std::uint32_t max_levels = 7;  // 32^7 is 2^35

  // The greatest and least ends of the nodes of each level; level 0 are the ends.
  const Key* greatest[max_levels];
  const Key* least[max_levels];
  std::uint32_t sizes[max_levels];
  std::uint32_t levels;
};

// The ends of intervals in the order of their starts, in a tree of greatest and least ends.
class DeviceExtentTree {
 public:
  DeviceExtentTree() = default;
  // `rows`: those of `size` starts in their order; `ends`: of the same rows, in row order.
  DeviceExtentTree(const RowsView& rows, std::size_t size, const DeviceColumn& ends,
                   const Queue& queue);

  [[nodiscard]] std::size_t levels() const { return levels_; }
  [[nodiscard]] std::size_t bytes() const { return keys_.size(); }
  template <class Key>
  [[nodiscard]] ExtentTreeView<Key> view() const;

 private:
  template <class Key>
  void build(const RowsView& rows, const DeviceColumn& ends, const Queue& queue);

  DeviceBytes keys_;  // the ends, then the greatest and the least of each other level
  std::size_t size_ = 0;
  std::size_t levels_ = 0;
};

}  // namespace rtindex::cuda
