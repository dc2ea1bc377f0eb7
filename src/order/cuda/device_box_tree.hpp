#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cuda/device_array.hpp"
#include "order/cuda/device_points.hpp"

namespace rtindex::cuda {

// A BoxTree (order/box_tree.hpp) as kernels read it, but with as many children in a node as a warp
// has lanes. Every level has whole, aligned nodes.
struct BoxTreeView {
  static constexpr std::uint32_t block_rows = 128;
  static constexpr std::uint32_t fan_out = 32;
  static constexpr std::uint32_t max_levels = 5;  // 128 * 32^5 is 2^32

  PointsView points;                     // by position, in whole blocks
  PointsView least, greatest;            // of the nodes of all levels, blocks first
  std::uint32_t first[max_levels] = {};  // the first node of each level
  std::uint32_t sizes[max_levels] = {};
  std::uint32_t levels = 0;
  std::uint32_t size = 0;  // of the points
};

// Points in blocks of 128 with zone maps, in an order that keeps neighbours together.
class DeviceBoxTree {
 public:
  DeviceBoxTree() = default;
  // `order`: the element at each position; null: the points are in order.
  DeviceBoxTree(const DevicePoints& points, const std::uint32_t* order, const Queue& queue);

  [[nodiscard]] const BoxTreeView& view() const { return view_; }
  [[nodiscard]] std::size_t size() const { return keys_.size; }
  [[nodiscard]] std::size_t columns() const { return keys_.columns.size(); }
  [[nodiscard]] const DevicePoints& keys() const { return keys_; }
  [[nodiscard]] std::size_t key_bytes() const;
  [[nodiscard]] std::size_t zone_bytes() const;

 private:
  void lay_out();
  template <class Key>
  void fill_column(std::uint32_t column, const PointsView& from, const std::uint32_t* order,
                   const Queue& queue);

  BoxTreeView view_;
  std::size_t nodes_ = 0;  // of all levels, with their padding
  DevicePoints keys_, least_, greatest_;
};

}  // namespace rtindex::cuda
