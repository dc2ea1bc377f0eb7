#include "kinds/btree/btree_cuda.hpp"

#include "engine/cuda/locate.cuh"
#include "engine/cuda/locate_edges.cuh"
#include "engine/cuda/sequence_searcher.hpp"
#include "order/cuda/order_view.cuh"

namespace rtindex::cuda {

namespace {

constexpr std::uint32_t node_keys = 16;
constexpr int max_levels = 8;

// The levels above the leaves, from the root down. A node is 16 keys side by side, each the
// greatest of one child; the leaves are the column in key order, 16 keys each, and follow each
// other in memory, so that a range walks on without links.
template <class Key>
struct TreeNodes {
  const Key* levels[max_levels] = {};
  std::uint32_t sizes[max_levels] = {};  // keys
  int count = 0;
};

template <class KeyType, int group_lanes>
struct TreeFinder {
  using Key = KeyType;
  static constexpr int lanes = group_lanes;
  static constexpr std::uint32_t each = node_keys / lanes;  // keys of a node that a lane compares

  OrderView<Key, Layout::split> order;
  TreeNodes<Key> nodes;

  // How many of the 16 keys from `first` on are less.
  [[nodiscard]] __device__ std::uint32_t less_in_node(const Key* keys, std::uint32_t first,
                                                      Key wanted) const {
    const std::uint32_t lane = lanes == 1 ? 0 : threadIdx.x % lanes;
    const Key* at = keys + first + lane * each;
    std::uint32_t count = 0;
    if constexpr (sizeof(Key) == 4 && each % 4 == 0) {
#pragma unroll
      for (std::uint32_t i = 0; i < each; i += 4) {
        const uint4 four = __ldg(reinterpret_cast<const uint4*>(at + i));
        count += (four.x < wanted) + (four.y < wanted) + (four.z < wanted) + (four.w < wanted);
      }
    } else if constexpr (sizeof(Key) == 8 && each % 2 == 0) {
#pragma unroll
      for (std::uint32_t i = 0; i < each; i += 2) {
        const ulonglong2 two = __ldg(reinterpret_cast<const ulonglong2*>(at + i));
        count += (two.x < wanted) + (two.y < wanted);
      }
    } else {
#pragma unroll
      for (std::uint32_t i = 0; i < each; ++i) count += __ldg(at + i) < wanted;
    }
    if constexpr (lanes > 1) {
      for (int other = lanes / 2; other > 0; other /= 2)
        count += __shfl_xor_sync(group_mask<lanes>(), count, other);
    }
    return count;
  }

  [[nodiscard]] __device__ std::uint32_t lower_bound(Key key) const {
    std::uint32_t node = 0;
    for (int level = 0; level < nodes.count; ++level) {
      node = node * node_keys + less_in_node(nodes.levels[level], node * node_keys, key);
      // Above every key: nothing of the column is that far.
      if (node >= nodes.sizes[level]) return order.size;
    }
    const std::uint32_t first = node * node_keys;
    if (first >= order.size) return order.size;
    const std::uint32_t at = first + less_in_node(order.keys, first, key);
    return min(at, order.size);
  }
  [[nodiscard]] __device__ std::uint32_t row(Key key) const {
    return order.row_at(lower_bound(key), order.size, key);
  }
  [[nodiscard]] __device__ Run equal(Key key) const {
    return order.run_at(lower_bound(key), order.size, key);
  }
};

template <class Key>
__global__ void greatest_of_children(const Key* below, std::uint32_t below_size, Key* keys,
                                     std::uint32_t size, std::uint32_t padded) {
  const std::size_t i = thread_number();
  if (i >= padded) return;
  const std::uint64_t last =
      min(std::uint64_t{i} * node_keys + node_keys, std::uint64_t{below_size});
  keys[i] = i < size ? below[last - 1] : static_cast<Key>(~Key{0});
}

template <class Key>
class DeviceTree final : public PositionSearcher {
 public:
  DeviceTree(const DeviceOrder& order, int group, const Queue& queue)
      : order_(&order), group_(group) {
    fused_.edges = fused_.ranks = true;
    const OrderView<Key, Layout::split> view(order);
    std::uint32_t sizes[max_levels];
    std::uint32_t size = view.size;
    int count = 0;
    while (size > node_keys) {
      size = size / node_keys + (size % node_keys != 0 ? 1 : 0);
      sizes[count++] = size;
    }
    const Key* below = view.keys;
    std::uint32_t below_size = view.size;
    nodes_.count = count;
    for (int level = 0; level < count; ++level) {
      const std::uint32_t padded = (sizes[level] + node_keys - 1) / node_keys * node_keys;
      DeviceArray<Key>& keys = levels_[level];
      keys = DeviceArray<Key>(queue, padded);
      greatest_of_children<<<blocks_for(padded), block_threads, 0, queue>>>(
          below, below_size, keys.data(), sizes[level], padded);
      nodes_.levels[count - 1 - level] = keys.data();
      nodes_.sizes[count - 1 - level] = sizes[level];
      below = keys.data();
      below_size = sizes[level];
    }
    check_launch("building the tree");
  }

  void find_rows(const DeviceLookups& lookups, std::uint32_t* rows,
                 cudaStream_t stream) const override {
    with_group([&](const auto& finder) { launch_find_rows(finder, lookups, rows, stream); });
  }
  void find_points(const DeviceLookups& lookups, Run* runs, cudaStream_t stream) const override {
    with_group([&](const auto& finder) { launch_find_points(finder, lookups, runs, stream); });
  }
  void find_ranges(const DeviceLookups& lookups, Run* runs, cudaStream_t stream) const override {
    with_group(
        [&](const auto& finder) { launch_find_ranges(finder, *order_, lookups, runs, stream); });
  }
  void find_ranks(const DeviceLookups& lookups, const RankTarget& target,
                  cudaStream_t stream) const override {
    with_group(
        [&](const auto& finder) { launch_find_ranks(finder, *order_, lookups, target, stream); });
  }
  void find_edges(const DeviceLookups& lookups, const EdgeTarget& target,
                  cudaStream_t stream) const override {
    with_group([&](const auto& finder) {
      launch_find_edges<EdgeForms::intervals>(finder, *order_, lookups, target, stream);
    });
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> bytes() const override {
    std::size_t bytes = 0;
    for (const DeviceArray<Key>& level : levels_) bytes += level.bytes();
    return {{"inner nodes", bytes}};
  }
  [[nodiscard]] std::string describe() const override {
    return "tree: " + std::to_string(nodes_.count + 1) + " levels, nodes of " +
           std::to_string(node_keys) + " keys searched by " + std::to_string(group_) +
           (group_ == 1 ? " thread\n" : " threads\n");
  }

 private:
  template <class Work>
  void with_group(Work&& work) const {
    const OrderView<Key, Layout::split> order(*order_);
    switch (group_) {
      case 2: return work(TreeFinder<Key, 2>{order, nodes_});
      case 4: return work(TreeFinder<Key, 4>{order, nodes_});
      case 8: return work(TreeFinder<Key, 8>{order, nodes_});
      case 16: return work(TreeFinder<Key, 16>{order, nodes_});
      default: return work(TreeFinder<Key, 1>{order, nodes_});
    }
  }

  const DeviceOrder* order_;
  int group_;
  DeviceArray<Key> levels_[max_levels];
  TreeNodes<Key> nodes_;
};

}  // namespace

std::unique_ptr<PositionSearcher> make_tree(const DeviceOrder& order, int group,
                                            const Queue& queue) {
  if (order.layout() == Layout::sequence) return std::make_unique<SequenceSearcher>(order);
  if (order.is_wide()) return std::make_unique<DeviceTree<std::uint64_t>>(order, group, queue);
  return std::make_unique<DeviceTree<std::uint32_t>>(order, group, queue);
}

}  // namespace rtindex::cuda
