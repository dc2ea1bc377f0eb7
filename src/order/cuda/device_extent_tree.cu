#include "order/cuda/device_extent_tree.hpp"

#include "base/cuda/launch.cuh"
#include "keys/interval.hpp"

namespace rtindex::cuda {

namespace {

constexpr const char* building_extents = "building a tree of ends";
constexpr std::size_t extent_fan_out = ExtentTreeView<std::uint32_t>::fan_out;

[[nodiscard]] constexpr std::size_t padded(std::size_t size) {
  return (size + extent_fan_out - 1) / extent_fan_out * extent_fan_out;
}

// How many keys a tree has on all its levels.
struct Shape {
  std::size_t keys = 0;
  std::size_t levels = 0;

  explicit Shape(std::size_t size) {
    for (std::size_t left = size; left != 0;
         left = left <= extent_fan_out ? 0 : padded(left) / extent_fan_out)
      keys += (levels++ == 0 ? 1 : 2) * padded(left);
  }
};

// `listed`: the rows of the ends, ascending; null: end i is that of row i.
template <class Key>
__global__ void gather_ends(RowsView rows, std::uint32_t size, const Key* ends,
                            const std::uint32_t* listed, Key* in_order) {
  const std::size_t i = thread_number();
  if (i >= size) return;
  std::uint32_t at = rows[i];
  if (listed != nullptr) {
    const std::uint32_t row = at;
    std::uint32_t low = 0;
    std::uint32_t high = size - 1;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (listed[middle] < row)
        low = middle + 1;
      else
        high = middle;
    }
    at = low;
  }
  in_order[i] = ends[at];
}

template <class Key>
__global__ void fill_level(const Key* greatest_below, const Key* least_below,
                           std::uint32_t size_below, std::uint32_t size, Key* greatest,
                           Key* least) {
  const std::size_t node = thread_number();
  if (node >= size) return;
  const std::size_t first = node * extent_fan_out;
  const std::size_t behind =
      first + extent_fan_out < size_below ? first + extent_fan_out : size_below;
  Key largest = greatest_below[first];
  Key smallest = least_below[first];
  for (std::size_t i = first + 1; i < behind; ++i) {
    largest = max(largest, greatest_below[i]);
    smallest = min(smallest, least_below[i]);
  }
  greatest[node] = largest;
  least[node] = smallest;
}

}  // namespace

DeviceExtentTree::DeviceExtentTree(const RowsView& rows, std::size_t size, const DeviceColumn& ends,
                                   const Queue& queue)
    : size_(size), levels_(Shape(size).levels) {
  if (size == 0) return;
  with_key_type(ends.is_wide(), [&]<class Key>(Key) {
    keys_ = DeviceBytes(queue, Shape(size).keys * sizeof(Key));
    build<Key>(rows, ends, queue);
  });
}

template <class Key>
ExtentTreeView<Key> DeviceExtentTree::view() const {
  ExtentTreeView<Key> view{};
  view.levels = static_cast<std::uint32_t>(levels_);
  const auto* at = static_cast<const Key*>(keys_.data());
  std::size_t size = size_;
  for (std::size_t level = 0; level < levels_; ++level) {
    view.sizes[level] = static_cast<std::uint32_t>(size);
    view.greatest[level] = at;
    if (level != 0) at += padded(size);
    view.least[level] = at;
    at += padded(size);
    size = padded(size) / extent_fan_out;
  }
  return view;
}

template <class Key>
void DeviceExtentTree::build(const RowsView& rows, const DeviceColumn& ends, const Queue& queue) {
  // Nodes are read to their end.
  check(cudaMemsetAsync(keys_.data(), 0, keys_.size(), queue), building_extents);
  const ExtentTreeView<Key> tree = view<Key>();
  const Key* keys = nullptr;
  if constexpr (sizeof(Key) == 4)
    keys = ends.narrow.data();
  else
    keys = ends.wide.data();
  gather_ends<<<blocks_for(size_), block_threads, 0, queue>>>(
      rows, tree.sizes[0], keys, ends.rows.data(), const_cast<Key*>(tree.greatest[0]));
  check_launch(building_extents);
  for (std::uint32_t level = 1; level < tree.levels; ++level) {
    fill_level<<<blocks_for(tree.sizes[level]), block_threads, 0, queue>>>(
        tree.greatest[level - 1], tree.least[level - 1], tree.sizes[level - 1], tree.sizes[level],
        const_cast<Key*>(tree.greatest[level]), const_cast<Key*>(tree.least[level]));
    check_launch(building_extents);
  }
}

template ExtentTreeView<std::uint32_t> DeviceExtentTree::view() const;
template ExtentTreeView<std::uint64_t> DeviceExtentTree::view() const;

}  // namespace rtindex::cuda
