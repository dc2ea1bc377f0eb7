#include "answers/cuda/ordered_values.hpp"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>

#include <type_traits>

#include "answers/cuda/tree.cuh"

namespace rtindex::cuda {

namespace {

// Prefix sums are made in two steps: of tiles of values, then of the values in each tile.
constexpr int tile_items = 16;
constexpr std::size_t tile = std::size_t{block_threads} * tile_items;

using PrefixSum = unsigned long long;

[[nodiscard]] std::size_t tiles_of(std::size_t size) { return (size + tile - 1) / tile; }

template <class Class>
__global__ void gather(Values<Class> values, RowsView rows, std::size_t size, Class* out,
                       const std::uint32_t* only_if) {
  if (only_if != nullptr && *only_if == 0) return;
  for (std::size_t i = thread_number(); i < size; i += thread_count()) out[i] = values[rows[i]];
}

// The sum of each tile. `out` gets the values, 0 for deleted rows, for scan_values.
template <class Class, class Deleted>
__global__ void gather_tiles(Values<Class> values, RowsView rows, std::size_t size, Deleted deleted,
                             PrefixSum* out, PrefixSum* tile_sums, const std::uint32_t* only_if) {
  if (only_if != nullptr && *only_if == 0) return;
  using Reduce = cub::BlockReduce<PrefixSum, block_threads>;
  __shared__ typename Reduce::TempStorage storage;
  for (std::size_t number = blockIdx.x; number * tile < size; number += gridDim.x) {
    PrefixSum sum = 0;
#pragma unroll
    for (int item = 0; item < tile_items; ++item) {
      const std::size_t i =
          number * tile + std::size_t{static_cast<unsigned>(item)} * block_threads + threadIdx.x;
      if (i < size) {
        const PrefixSum value = deleted.has(i) ? 0 : static_cast<PrefixSum>(values[rows[i]]);
        out[i] = value;
        sum += value;
      }
    }
    const PrefixSum total = Reduce(storage).Sum(sum);
    if (threadIdx.x == 0) tile_sums[number] = total;
    __syncthreads();
  }
}

// In place, by one block: tile_sums[i] becomes the sum of all tiles before i.
__global__ void scan_tiles(PrefixSum* tile_sums, std::size_t count, const std::uint32_t* only_if) {
  if (only_if != nullptr && *only_if == 0) return;
  using Scan = cub::BlockScan<PrefixSum, block_threads>;
  __shared__ typename Scan::TempStorage storage;
  PrefixSum before = 0;
  for (std::size_t first = 0; first < count; first += block_threads) {
    const std::size_t i = first + threadIdx.x;
    PrefixSum value = i < count ? tile_sums[i] : 0;
    PrefixSum all = 0;
    PrefixSum sum = 0;
    Scan(storage).ExclusiveSum(value, sum, all);
    if (i < count) tile_sums[i] = before + sum;
    before += all;
    __syncthreads();
  }
}

// In place: sums[i] becomes the sum of the values before i, and sums[size] that of all.
__global__ void scan_values(PrefixSum* sums, std::size_t size, const PrefixSum* tile_sums,
                            const std::uint32_t* only_if) {
  if (only_if != nullptr && *only_if == 0) return;
  using Scan = cub::BlockScan<PrefixSum, block_threads>;
  __shared__ typename Scan::TempStorage storage;
  for (std::size_t number = blockIdx.x; number * tile < size; number += gridDim.x) {
    PrefixSum before = tile_sums[number];
    for (int item = 0; item < tile_items; ++item) {
      const std::size_t i =
          number * tile + std::size_t{static_cast<unsigned>(item)} * block_threads + threadIdx.x;
      const PrefixSum value = i < size ? sums[i] : 0;
      PrefixSum sum = 0;
      PrefixSum all = 0;
      Scan(storage).ExclusiveSum(value, sum, all);
      if (i < size) sums[i] = before + sum;
      if (i + 1 == size) sums[size] = before + sum + value;
      before += all;
      __syncthreads();
    }
  }
}

// The values of deleted rows, one after the other.
template <class Class>
__global__ void extract_deleted(OrderedAt<Class> at, std::size_t size, DeletedPositions deleted,
                                PrefixSum* out) {
  for (std::size_t i = thread_number(); i < size; i += thread_count())
    if (deleted.has(i))
      out[deleted.before(static_cast<std::uint32_t>(i))] = static_cast<PrefixSum>(at(i));
}

[[nodiscard]] unsigned tile_blocks(std::size_t size) {
  const std::size_t tiles = tiles_of(size);
  return static_cast<unsigned>(tiles < 2048 ? (tiles == 0 ? 1 : tiles) : 2048);
}

}  // namespace

OrderedValues::OrderedValues(const void* values, Type type, RowsView rows, std::size_t size,
                             const DeletedPositions& deleted, OrderedWants wants, bool required,
                             const std::uint32_t* only_if, const Queue& queue,
                             const std::function<void(bool enough)>& reserved)
    : type_(type), size_(size) {
  null_ = !reserve(wants, required, queue);
  if (reserved) reserved(!null_);
  if (null_) return;
  if (size == 0) return;
  visit_class(class_of(type),
              [&]<class Class>() { make<Class>(values, rows, deleted, wants, only_if, queue); });
  check_launch("putting values into key order");
}

OrderedValues::OrderedValues(const OrderedValues& all, const DeletedPositionList& deleted,
                             const Queue& queue)
    : null_(all.null_), type_(all.type_), size_(all.size_), all_(&all) {
  if (null_ || size_ == 0) return;
  const auto allocate_tree = [&](const Tree& like, Tree& tree) {
    tree.count = like.count;
    for (int level = 0; level < like.count; ++level)
      tree.levels[level] = DeviceArray<std::uint64_t>(queue, like.levels[level].size());
  };
  allocate_tree(all.sum_tree_, sum_tree_);
  allocate_tree(all.min_tree_, min_tree_);
  allocate_tree(all.max_tree_, max_tree_);
  const OrderedWants all_trees{.sum = true, .min = true, .max = true};
  visit_class(class_of(type_), [&]<class Class>() {
    if (sums_before() != nullptr) add_up_deleted<Class>(deleted, queue);
    make_trees<Class>(deleted.view(), all_trees, nullptr, queue);
  });
  check_launch("excluding the values of erased rows");
}

template <class Class>
void OrderedValues::add_up_deleted(const DeletedPositionList& deleted, const Queue& queue) {
  const std::size_t count = std::size_t{deleted.count()} + 1;
  deleted_sums_ = DeviceArray<std::uint64_t>(queue, count);
  auto* const sums = reinterpret_cast<PrefixSum*>(deleted_sums_.data());
  check(cudaMemsetAsync(sums + count - 1, 0, sizeof(PrefixSum), queue), "filling memory");
  extract_deleted<<<loop_blocks(size_), block_threads, 0, queue>>>(OrderedAt<Class>{view<Class>()},
                                                                   size_, deleted.view(), sums);
  with_scratch(queue, "adding up values", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, sums, sums, count, queue);
  });
}

bool OrderedValues::reserve(OrderedWants wants, bool required, const Queue& queue) {
  bool enough = true;
  const auto allocate = [&](DeviceArray<std::uint64_t>& array, std::size_t size) {
    if (!enough || size == 0) return;
    array = required ? DeviceArray<std::uint64_t>(queue, size)
                     : DeviceArray<std::uint64_t>::if_there_is(queue, size);
    enough = !array.empty();
  };
  std::size_t sizes[max_tree_levels];
  const int levels = tree_sizes(size_, sizes);
  const auto allocate_tree = [&](Tree& tree) {
    tree.count = levels;
    for (int level = 0; level < levels; ++level) allocate(tree.levels[level], sizes[level]);
  };
  const bool real = class_of(type_) == ValueClass::f64;
  const bool prefix = wants.sum && !real;
  if (prefix) {
    allocate(prefix_sums_, size_ + 1);
    allocate(tile_sums_, tiles_of(size_));
  } else {
    allocate(values_, size_);
  }
  if (wants.sum && real) allocate_tree(sum_tree_);
  if (wants.min) allocate_tree(min_tree_);
  if (wants.max) allocate_tree(max_tree_);
  return enough;
}

template <class Class>
void OrderedValues::make(const void* values, RowsView rows, const DeletedPositions& deleted,
                         OrderedWants wants, const std::uint32_t* only_if, cudaStream_t stream) {
  const Values<Class> from{values, type_};
  if (!prefix_sums_.empty()) {
    auto* const sums = reinterpret_cast<PrefixSum*>(prefix_sums_.data());
    auto* const tile_sums = reinterpret_cast<PrefixSum*>(tile_sums_.data());
    const unsigned blocks = tile_blocks(size_);
    with_deleted(deleted, [&](const auto& skipped) {
      gather_tiles<<<blocks, block_threads, 0, stream>>>(from, rows, size_, skipped, sums,
                                                         tile_sums, only_if);
    });
    scan_tiles<<<1, block_threads, 0, stream>>>(tile_sums, tiles_of(size_), only_if);
    scan_values<<<blocks, block_threads, 0, stream>>>(sums, size_, tile_sums, only_if);
  } else {
    gather<<<loop_blocks(size_), block_threads, 0, stream>>>(
        from, rows, size_, reinterpret_cast<Class*>(values_.data()), only_if);
  }
  make_trees<Class>(deleted, wants, only_if, stream);
}

template <class Class>
void OrderedValues::make_trees(const DeletedPositions& deleted, OrderedWants wants,
                               const std::uint32_t* only_if, cudaStream_t stream) {
  with_deleted(deleted, [&](const auto& skipped) {
    if constexpr (std::is_same_v<Class, double>)
      if (wants.sum) make_tree<Class, Sum>(sum_tree_, skipped, only_if, stream);
    if (wants.min) make_tree<Class, Min>(min_tree_, skipped, only_if, stream);
    if (wants.max) make_tree<Class, Max>(max_tree_, skipped, only_if, stream);
  });
}

template <class Class, class Operation, class Deleted>
void OrderedValues::make_tree(Tree& tree, const Deleted& deleted, const std::uint32_t* only_if,
                              cudaStream_t stream) {
  std::size_t size = size_;
  for (int level = 0; level < tree.count; ++level) {
    auto* const out = reinterpret_cast<Class*>(tree.levels[level].data());
    const unsigned blocks = loop_blocks(size);
    if (level == 0)
      reduce_blocks<<<blocks, block_threads, 0, stream>>>(
          only_valid<Operation>(OrderedAt<Class>{view<Class>()}, deleted), size, out, Operation{},
          only_if);
    else
      reduce_blocks<<<blocks, block_threads, 0, stream>>>(
          LevelAt<Class>{reinterpret_cast<const Class*>(tree.levels[level - 1].data())}, size, out,
          Operation{}, only_if);
    size = tree.levels[level].size();
  }
}

template <class Class>
OrderedView<Class> OrderedValues::view() const {
  OrderedView<Class> view;
  view.values = reinterpret_cast<const Class*>(all().values_.data());
  view.prefix_sums = sums_before();
  view.deleted_sums = deleted_sums();
  const auto fill = [](const Tree& tree, TreeView<Class>& into) {
    into.count = tree.count;
    for (int level = 0; level < tree.count; ++level)
      into.levels[level] = reinterpret_cast<const Class*>(tree.levels[level].data());
  };
  fill(min_tree_, view.min_tree);
  fill(max_tree_, view.max_tree);
  fill(sum_tree_, view.sum_tree);
  return view;
}

template OrderedView<std::uint64_t> OrderedValues::view() const;
template OrderedView<std::int64_t> OrderedValues::view() const;
template OrderedView<double> OrderedValues::view() const;

std::size_t OrderedValues::bytes() const {
  std::size_t bytes =
      values_.bytes() + prefix_sums_.bytes() + tile_sums_.bytes() + deleted_sums_.bytes();
  for (const Tree* tree : {&min_tree_, &max_tree_, &sum_tree_})
    for (const DeviceArray<std::uint64_t>& level : tree->levels) bytes += level.bytes();
  return bytes;
}

template <class Operation>
RowTree<Operation>::RowTree(RowsView rows, std::size_t size, const DeletedPositions& deleted,
                            const std::uint32_t* only_if, const Queue& queue) {
  std::size_t sizes[max_tree_levels];
  count_ = tree_sizes(size, sizes);
  for (int level = 0; level < count_; ++level) {
    levels_[level] = DeviceArray<std::uint32_t>::if_there_is(queue, sizes[level]);
    if (levels_[level].empty()) return;
  }
  null_ = false;
  for (int level = 0; level < count_; ++level) {
    const std::size_t below = level == 0 ? size : sizes[level - 1];
    const unsigned blocks = loop_blocks(below);
    if (level == 0)
      with_deleted(deleted, [&](const auto& skipped) {
        reduce_blocks<<<blocks, block_threads, 0, queue>>>(
            only_valid<Operation>(RowAt{rows}, skipped), below, levels_[level].data(), Operation{},
            only_if);
      });
    else
      reduce_blocks<<<blocks, block_threads, 0, queue>>>(
          LevelAt<std::uint32_t>{levels_[level - 1].data()}, below, levels_[level].data(),
          Operation{}, only_if);
  }
  check_launch("finding smallest or greatest rows");
}

template <class Operation>
TreeView<std::uint32_t> RowTree<Operation>::view() const {
  TreeView<std::uint32_t> view;
  view.count = count_;
  for (int level = 0; level < count_; ++level) view.levels[level] = levels_[level].data();
  return view;
}

template class RowTree<Min>;
template class RowTree<Last>;

}  // namespace rtindex::cuda
