#include "order/cuda/device_box_tree.hpp"

#include "base/cuda/launch.cuh"

namespace rtindex::cuda {

namespace {

constexpr const char* building_boxes = "building a tree of points";
constexpr std::uint32_t fan_out = BoxTreeView::fan_out;
constexpr std::uint32_t block_rows = BoxTreeView::block_rows;

[[nodiscard]] constexpr std::size_t rounded_up(std::size_t size, std::size_t to) {
  return (size + to - 1) / to * to;
}

template <class Key>
__global__ void gather_keys(const Key* from, const std::uint32_t* order, std::size_t size,
                            std::size_t padded, Key* keys) {
  const std::size_t i = thread_number();
  if (i >= padded) return;
  keys[i] = i < size ? from[order == nullptr ? i : order[i]] : 0;
}

// One warp for each node: the smallest and largest of `each` entries below it.
template <class Key>
__global__ void fill_level(const Key* least_below, const Key* greatest_below,
                           std::size_t size_below, std::uint32_t each, std::size_t size, Key* least,
                           Key* greatest) {
  const std::size_t node = thread_number() / 32;
  if (node >= size) return;
  const unsigned lane = threadIdx.x % 32;
  const std::size_t first = node * each;
  Key low = static_cast<Key>(~Key{0});
  Key high = 0;
  for (std::uint32_t i = lane; i < each; i += 32)
    if (first + i < size_below) {
      low = min(low, least_below[first + i]);
      high = max(high, greatest_below[first + i]);
    }
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    low = min(low, __shfl_xor_sync(~0U, low, lanes));
    high = max(high, __shfl_xor_sync(~0U, high, lanes));
  }
  if (lane != 0) return;
  least[node] = low;
  greatest[node] = high;
}

[[nodiscard]] std::size_t bytes_of(const DevicePoints& points) {
  std::size_t bytes = 0;
  for (const DevicePoints::Column& column : points.columns) bytes += column.keys.size();
  return bytes;
}

}  // namespace

DeviceBoxTree::DeviceBoxTree(const DevicePoints& points, const std::uint32_t* order,
                             const Queue& queue) {
  keys_.size = points.size;
  lay_out();
  const PointsView from = points.view();
  for (std::uint32_t c = 0; c < from.columns; ++c)
    with_key_type(points.columns[c].is_wide,
                  [&]<class Key>(Key) { fill_column<Key>(c, from, order, queue); });
  view_.points = keys_.view();
  view_.least = least_.view();
  view_.greatest = greatest_.view();
}

void DeviceBoxTree::lay_out() {
  view_.size = static_cast<std::uint32_t>(keys_.size);
  std::size_t nodes = (keys_.size + block_rows - 1) / block_rows;
  for (;;) {
    view_.first[view_.levels] = static_cast<std::uint32_t>(nodes_);
    view_.sizes[view_.levels++] = static_cast<std::uint32_t>(nodes);
    nodes_ += rounded_up(nodes, fan_out);
    if (nodes <= fan_out) return;
    nodes = (nodes + fan_out - 1) / fan_out;
  }
}

template <class Key>
void DeviceBoxTree::fill_column(std::uint32_t column, const PointsView& from,
                                const std::uint32_t* order, const Queue& queue) {
  constexpr bool is_wide = sizeof(Key) == sizeof(std::uint64_t);
  const std::size_t size = keys_.size;
  const std::size_t padded = rounded_up(size, block_rows);
  const auto add = [&](DevicePoints& points, std::size_t count) {
    points.columns.push_back({DeviceBytes(queue, count * sizeof(Key)), is_wide});
    return static_cast<Key*>(points.columns.back().keys.data());
  };
  Key* const keys = add(keys_, padded);
  Key* const least = add(least_, nodes_);
  Key* const greatest = add(greatest_, nodes_);
  if (size == 0) return;
  gather_keys<<<blocks_for(padded), block_threads, 0, queue>>>(
      static_cast<const Key*>(from.keys[column]), order, size, padded, keys);
  check_launch(building_boxes);
  // Nodes are read to their end.
  check(cudaMemsetAsync(least, 0, nodes_ * sizeof(Key), queue), building_boxes);
  check(cudaMemsetAsync(greatest, 0, nodes_ * sizeof(Key), queue), building_boxes);
  for (std::uint32_t level = 0; level < view_.levels; ++level) {
    const Key* const least_below = level == 0 ? keys : least + view_.first[level - 1];
    const Key* const greatest_below = level == 0 ? keys : greatest + view_.first[level - 1];
    const std::size_t nodes = view_.sizes[level];
    fill_level<<<blocks_for(nodes * 32), block_threads, 0, queue>>>(
        least_below, greatest_below, level == 0 ? size : view_.sizes[level - 1],
        level == 0 ? block_rows : fan_out, nodes, least + view_.first[level],
        greatest + view_.first[level]);
    check_launch(building_boxes);
  }
}

std::size_t DeviceBoxTree::key_bytes() const { return bytes_of(keys_); }

std::size_t DeviceBoxTree::zone_bytes() const { return bytes_of(least_) + bytes_of(greatest_); }

}  // namespace rtindex::cuda
