#pragma once

#include <cstddef>
#include <cstdint>

#include "answers/cuda/run.hpp"
#include "base/cuda/launch.cuh"
#include "order/cuda/device_box_tree.hpp"
#include "order/cuda/device_boxes.hpp"

namespace rtindex::cuda {

// A query as it is compared with keys. Key: uint32_t where all columns with a side have keys of 4
// bytes.
template <class Key, int max_sides>
struct BoxBounds {
  Key lower[max_sides], upper[max_sides];
  std::uint32_t sides = 0;  // a bit for each
  bool is_empty = false;

  __device__ BoxBounds(const DeviceBoxes& boxes, std::size_t query) : is_empty(boxes.is_empty) {
#pragma unroll
    for (int s = 0; s < max_sides; ++s) {
      lower[s] = 0;
      upper[s] = 0;
      if (s >= static_cast<int>(boxes.count)) continue;
      Interval range = boxes.sides[s].all;
      if (boxes.sides[s].own != nullptr) {
        const KeyInterval<std::uint64_t> own = boxes.sides[s].own[query];
        if (own.lower > own.upper) is_empty = true;
        range.lower = range.lower > own.lower ? range.lower : own.lower;
        range.upper = range.upper < own.upper ? range.upper : own.upper;
      }
      constexpr std::uint64_t largest = static_cast<Key>(~Key{0});
      if (range.empty() || range.lower > largest) is_empty = true;
      lower[s] = static_cast<Key>(range.lower);
      upper[s] = static_cast<Key>(range.upper < largest ? range.upper : largest);
      sides |= 1U << s;
    }
  }
};

// The first range of a set that does not end before a key; set_size where there is none.
[[nodiscard]] __device__ inline std::uint32_t range_at(const DeviceBoxSide& side,
                                                       std::uint64_t key) {
  std::uint32_t low = 0;
  std::uint32_t high = side.set_size;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (side.set[middle].upper < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

[[nodiscard]] __device__ inline bool is_in_set(const DeviceBoxSide& side, std::uint64_t key) {
  const std::uint32_t at = range_at(side, key);
  return at < side.set_size && side.set[at].lower <= key;
}

// How a node lies to a box.
struct NodeState {
  bool touches = false;
  std::uint32_t crossed = 0;  // the sides that it does not lie inside of, if it touches the box

  [[nodiscard]] __device__ bool is_inside() const { return touches && crossed == 0; }
  [[nodiscard]] __device__ bool is_crossed() const { return touches && crossed != 0; }
};

// Compares the nodes and the blocks of a tree with boxes; passed to kernels by value.
template <class Key, int max_sides>
struct BoxComparer {
  using Bounds = BoxBounds<Key, max_sides>;
  static constexpr std::uint32_t rows_of_lane = 4;  // of a block

  BoxTreeView tree;
  DeviceBoxes boxes;

  // Only with those sides that the node's parent crosses.
  [[nodiscard]] __device__ NodeState compare_node(const Bounds& box, std::uint32_t level,
                                                  std::size_t node, std::uint32_t sides) const {
    NodeState state{node < tree.sizes[level], 0};
    const std::size_t at = tree.first[level] + (state.touches ? node : 0);
    Key low[max_sides], high[max_sides];
#pragma unroll
    for (int s = 0; s < max_sides; ++s)
      if ((sides >> s & 1) != 0) {
        low[s] = load(tree.least, boxes.sides[s].column, at);
        high[s] = load(tree.greatest, boxes.sides[s].column, at);
      }
#pragma unroll
    for (int s = 0; s < max_sides; ++s)
      if ((sides >> s & 1) != 0) {
        state.touches = state.touches && low[s] <= box.upper[s] && high[s] >= box.lower[s];
        bool is_inside = low[s] >= box.lower[s] && high[s] <= box.upper[s];
        if (state.touches && boxes.sides[s].set != nullptr) {
          const DeviceBoxSide& side = boxes.sides[s];
          const std::uint32_t range = range_at(side, low[s]);
          state.touches = range < side.set_size && side.set[range].lower <= high[s];
          is_inside = is_inside && state.touches && side.set[range].lower <= low[s] &&
                      side.set[range].upper >= high[s];
        }
        state.crossed |= is_inside ? 0U : 1U << s;
      }
    return state;
  }

  // The positions of a node's rows.
  [[nodiscard]] __device__ Run rows_of(std::uint32_t level, std::size_t node) const {
    const std::uint64_t rows = std::uint64_t{BoxTreeView::block_rows} << (5 * level);
    const std::uint64_t begin = node * rows;
    return {static_cast<std::uint32_t>(begin),
            static_cast<std::uint32_t>(begin + rows < tree.size ? begin + rows : tree.size)};
  }

  // The first of the four rows of a block that the lane compares.
  [[nodiscard]] __device__ static std::size_t first_row(std::uint32_t block) {
    return std::size_t{block} * BoxTreeView::block_rows + (threadIdx.x % 32) * rows_of_lane;
  }
  // A bit for each of them that lies in the box.
  [[nodiscard]] __device__ std::uint32_t compare_rows(const Bounds& box, std::uint32_t block,
                                                      std::uint32_t sides) const {
    const std::size_t first = first_row(block);
    std::uint32_t hits = (1U << rows_of_lane) - 1;
    // The keys of few sides are on their way together; those of many would need too many registers.
    if constexpr (max_sides <= 3) {
      Key keys[max_sides][rows_of_lane];
#pragma unroll
      for (int s = 0; s < max_sides; ++s)
        if ((sides >> s & 1) != 0) load_four(boxes.sides[s].column, first, keys[s]);
#pragma unroll
      for (int s = 0; s < max_sides; ++s)
        if ((sides >> s & 1) != 0)
          hits &= compare_keys(boxes.sides[s], box.lower[s], box.upper[s], keys[s]);
    } else {
#pragma unroll
      for (int s = 0; s < max_sides; ++s)
        if ((sides >> s & 1) != 0) {
          Key keys[rows_of_lane];
          load_four(boxes.sides[s].column, first, keys);
          hits &= compare_keys(boxes.sides[s], box.lower[s], box.upper[s], keys);
        }
    }
    const std::size_t rows = first < tree.size ? tree.size - first : 0;
    return rows < rows_of_lane ? hits & ((1U << rows) - 1) : hits;
  }

 private:
  // A bit for each of four keys that lies between both ends, and in the set of the side.
  [[nodiscard]] __device__ static std::uint32_t compare_keys(const DeviceBoxSide& side, Key lower,
                                                             Key upper, const Key* keys) {
    std::uint32_t hits = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < rows_of_lane; ++i)
      hits |= (keys[i] >= lower && keys[i] <= upper ? 1U : 0U) << i;
    if (side.set == nullptr || hits == 0) return hits;
#pragma unroll
    for (std::uint32_t i = 0; i < rows_of_lane; ++i)
      if (!is_in_set(side, keys[i])) hits &= ~(1U << i);
    return hits;
  }

  [[nodiscard]] __device__ static Key load(const PointsView& from, std::uint32_t column,
                                           std::size_t i) {
    if constexpr (sizeof(Key) == sizeof(std::uint32_t))
      return static_cast<const Key*>(from.keys[column])[i];
    else
      return from.key(column, i);
  }

  __device__ void load_four(std::uint32_t column, std::size_t first, Key* keys) const {
    if constexpr (sizeof(Key) == sizeof(std::uint32_t)) {
      const auto* const at = static_cast<const Key*>(tree.points.keys[column]) + first;
      const uint4 four = __ldg(reinterpret_cast<const uint4*>(at));
      keys[0] = four.x;
      keys[1] = four.y;
      keys[2] = four.z;
      keys[3] = four.w;
    } else {
#pragma unroll
      for (std::uint32_t i = 0; i < rows_of_lane; ++i) keys[i] = tree.points.key(column, first + i);
    }
  }
};

// No more than 31 nodes of each level wait while those below them are visited.
inline constexpr std::uint32_t box_stack_size = BoxTreeView::fan_out * BoxTreeView::max_levels;

// Walks the tree with one warp: nodes outside of the box are skipped, nodes inside are passed to
// sink.add_runs(), and the rows of the blocks between are compared and passed to sink.add_hits(),
// both by all lanes. `stack`: the warp's own, of box_stack_size entries.
template <class Comparer, class Sink>
__device__ void walk_by_warp(const Comparer& comparer, const typename Comparer::Bounds& box,
                             std::uint64_t* stack, Sink& sink) {
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t waiting = 0;
  const auto visit = [&](std::uint32_t level, std::size_t node, std::uint32_t sides) {
    const NodeState state = comparer.compare_node(box, level, node, sides);
    if (__any_sync(~0U, state.is_inside())) {
      const Run rows = comparer.rows_of(level, state.is_inside() ? node : 0);
      sink.add_runs(state.is_inside(), rows.begin, rows.end);
    }
    unsigned crossed = __ballot_sync(~0U, state.is_crossed());
    if (level == 0) {
      for (; crossed != 0 && !sink.is_full(); crossed &= crossed - 1) {
        const int from = __ffs(static_cast<int>(crossed)) - 1;
        const auto block = static_cast<std::uint32_t>(__shfl_sync(~0U, node, from));
        const std::uint32_t block_sides = __shfl_sync(~0U, state.crossed, from);
        sink.add_hits(static_cast<std::uint32_t>(Comparer::first_row(block)),
                      comparer.compare_rows(box, block, block_sides));
      }
      return;
    }
    if (state.is_crossed())
      stack[waiting + static_cast<unsigned>(__popc(crossed & ((1U << lane) - 1)))] =
          node | std::uint64_t{level} << 32 | std::uint64_t{state.crossed} << 40;
    waiting += static_cast<unsigned>(__popc(crossed));
    __syncwarp();
  };
  visit(comparer.tree.levels - 1, lane, box.sides);
  while (waiting != 0 && !sink.is_full()) {
    const std::uint64_t entry = stack[--waiting];
    __syncwarp();
    visit(static_cast<std::uint32_t>(entry >> 32 & 0xff) - 1,
          std::size_t{static_cast<std::uint32_t>(entry)} * BoxTreeView::fan_out + lane,
          static_cast<std::uint32_t>(entry >> 40));
  }
}

// What a block of threads shares while it walks.
struct BoxLists {
  static constexpr std::uint32_t nodes_at_once = 16;

  std::uint64_t nodes[block_threads];  // crossed nodes, each with its sides << 32
  std::uint64_t blocks[nodes_at_once * BoxTreeView::fan_out];
  std::uint32_t node_count, block_count;
};

// Walks the part `part` of `parts` of the tree with a block of threads, all of which call it: the
// nodes part, part + parts, ... above the blocks, so that neighbours are in different parts.
template <class Comparer, class Sink>
__device__ void walk_by_block(const Comparer& comparer, const typename Comparer::Bounds& box,
                              std::uint32_t part, std::uint32_t parts, BoxLists& lists,
                              Sink& sink) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  constexpr unsigned warps = block_threads / 32;
  const std::uint32_t level = comparer.tree.levels > 1 ? 1 : 0;
  const auto add_inside = [&](const NodeState& state, std::uint32_t node_level, std::size_t node) {
    if (!__any_sync(~0U, state.is_inside())) return;
    const Run rows = comparer.rows_of(node_level, state.is_inside() ? node : 0);
    sink.add_runs(state.is_inside(), rows.begin, rows.end);
  };
  const auto compare_blocks = [&](const std::uint64_t* entries, std::uint32_t count) {
    for (std::uint32_t i = warp; i < count; i += warps) {
      const auto block = static_cast<std::uint32_t>(entries[i]);
      sink.add_hits(
          static_cast<std::uint32_t>(Comparer::first_row(block)),
          comparer.compare_rows(box, block, static_cast<std::uint32_t>(entries[i] >> 32)));
    }
  };
  for (std::size_t base = part; base < comparer.tree.sizes[level];
       base += std::size_t{block_threads} * parts) {
    if (threadIdx.x == 0) lists.node_count = 0;
    __syncthreads();
    const std::size_t node = base + std::size_t{threadIdx.x} * parts;
    const NodeState state = comparer.compare_node(box, level, node, box.sides);
    add_inside(state, level, node);
    if (state.is_crossed())
      lists.nodes[atomicAdd(&lists.node_count, 1U)] = node | std::uint64_t{state.crossed} << 32;
    __syncthreads();
    const std::uint32_t nodes = lists.node_count;
    if (level == 0) compare_blocks(lists.nodes, nodes);
    for (std::uint32_t first = 0; level != 0 && first < nodes; first += BoxLists::nodes_at_once) {
      if (threadIdx.x == 0) lists.block_count = 0;
      __syncthreads();
      for (std::uint32_t i = first + warp; i < nodes && i < first + BoxLists::nodes_at_once;
           i += warps) {
        const std::uint64_t entry = lists.nodes[i];
        const std::size_t child =
            std::size_t{static_cast<std::uint32_t>(entry)} * BoxTreeView::fan_out + lane;
        const NodeState below =
            comparer.compare_node(box, 0, child, static_cast<std::uint32_t>(entry >> 32));
        add_inside(below, 0, child);
        if (below.is_crossed())
          lists.blocks[atomicAdd(&lists.block_count, 1U)] = child | std::uint64_t{below.crossed}
                                                                        << 32;
      }
      __syncthreads();
      compare_blocks(lists.blocks, lists.block_count);
      __syncthreads();
    }
    __syncthreads();
  }
}

}  // namespace rtindex::cuda
