#pragma once

#include <cstddef>
#include <cstdint>

#include "order/cuda/device_box_tree.hpp"
#include "order/cuda/device_boxes.hpp"

namespace rtindex::cuda {

// A query as a warp compares it with keys. Key: uint32_t where all columns with a side have keys of
// 4 bytes.
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
      if (range.empty()) is_empty = true;
      constexpr std::uint64_t largest = static_cast<Key>(~Key{0});
      if (range.lower > largest) is_empty = true;
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

// Walks a tree of points with one warp for each part of a query: nodes outside of the box are
// skipped, nodes inside are passed to the sink as runs, and the keys of the blocks between are
// compared. Part p has the nodes p, p + parts, ... of the start level.
template <class Key, int max_sides>
struct BoxWalker {
  // No more than 31 nodes of each level wait while those below them are visited.
  static constexpr std::uint32_t stack_size = BoxTreeView::fan_out * BoxTreeView::max_levels;
  static constexpr std::uint32_t rows_of_lane = 4;  // of a block

  BoxTreeView tree;
  DeviceBoxes boxes;
  std::uint32_t parts = 1;
  std::uint32_t start_level = 0;

  // Every lane of the warp calls it. `stack`: the warp's own, of stack_size entries.
  template <class Sink>
  __device__ void walk(std::size_t number, std::uint64_t* stack, Sink& sink) const {
    const std::size_t query = number / parts;
    const auto part = static_cast<std::uint32_t>(number % parts);
    const BoxBounds<Key, max_sides> box(boxes, query);
    if (box.is_empty || tree.size == 0) return;
    if (box.sides == 0) return add_slice(part, sink);
    const unsigned lane = threadIdx.x % 32;
    for (std::size_t base = part; base < tree.sizes[start_level]; base += std::size_t{parts} * 32) {
      std::uint32_t waiting = 0;
      visit(box, start_level, base + std::size_t{parts} * lane, box.sides, stack, waiting, sink);
      while (waiting != 0 && !sink.is_full()) {
        const std::uint64_t entry = stack[--waiting];
        __syncwarp();
        const auto node = static_cast<std::uint32_t>(entry);
        const auto level = static_cast<std::uint32_t>(entry >> 32 & 0xff);
        const auto sides = static_cast<std::uint32_t>(entry >> 40);
        visit(box, level - 1, std::size_t{node} * BoxTreeView::fan_out + lane, sides, stack,
              waiting, sink);
      }
      if (sink.is_full()) return;
    }
  }

 private:
  // Without a condition all rows match.
  template <class Sink>
  __device__ void add_slice(std::uint32_t part, Sink& sink) const {
    const auto begin = static_cast<std::uint32_t>(std::uint64_t{tree.size} * part / parts);
    const auto end = static_cast<std::uint32_t>(std::uint64_t{tree.size} * (part + 1) / parts);
    sink.add_runs(threadIdx.x % 32 == 0 && begin < end, begin, end);
  }

  template <class T>
  [[nodiscard]] __device__ static T load(const PointsView& from, std::uint32_t column,
                                         std::size_t i) {
    if constexpr (sizeof(T) == sizeof(std::uint32_t))
      return static_cast<const T*>(from.keys[column])[i];
    else
      return from.key(column, i);
  }

  // Compares a node of each lane with the sides that its parent does not lie inside of.
  template <class Sink>
  __device__ void visit(const BoxBounds<Key, max_sides>& box, std::uint32_t level, std::size_t node,
                        std::uint32_t sides, std::uint64_t* stack, std::uint32_t& waiting,
                        Sink& sink) const {
    bool touches = node < tree.sizes[level];
    std::uint32_t crossed = 0;  // sides that the node does not lie inside of
    const std::size_t at = tree.first[level] + (touches ? node : 0);
    Key low[max_sides], high[max_sides];
#pragma unroll
    for (int s = 0; s < max_sides; ++s)
      if ((sides >> s & 1) != 0) {
        low[s] = load<Key>(tree.least, boxes.sides[s].column, at);
        high[s] = load<Key>(tree.greatest, boxes.sides[s].column, at);
      }
#pragma unroll
    for (int s = 0; s < max_sides; ++s)
      if ((sides >> s & 1) != 0) {
        touches = touches && low[s] <= box.upper[s] && high[s] >= box.lower[s];
        bool is_inside = low[s] >= box.lower[s] && high[s] <= box.upper[s];
        if (touches && boxes.sides[s].set != nullptr) {
          const DeviceBoxSide& side = boxes.sides[s];
          const std::uint32_t range = range_at(side, low[s]);
          touches = range < side.set_size && side.set[range].lower <= high[s];
          is_inside = is_inside && touches && side.set[range].lower <= low[s] &&
                      side.set[range].upper >= high[s];
        }
        crossed |= is_inside ? 0U : 1U << s;
      }
    const bool is_inside = touches && crossed == 0;
    if (__any_sync(~0U, is_inside)) {
      const std::uint64_t rows = std::uint64_t{BoxTreeView::block_rows} << (5 * level);
      const std::uint64_t begin = node * rows;
      const std::uint64_t end = begin + rows < tree.size ? begin + rows : tree.size;
      sink.add_runs(is_inside, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
    }
    const bool is_crossed = touches && crossed != 0;
    unsigned left = __ballot_sync(~0U, is_crossed);
    if (level == 0) {
      for (; left != 0 && !sink.is_full(); left &= left - 1) {
        const int from = __ffs(static_cast<int>(left)) - 1;
        const auto block = static_cast<std::uint32_t>(__shfl_sync(~0U, node, from));
        compare_block(box, block, __shfl_sync(~0U, crossed, from), sink);
      }
      return;
    }
    const unsigned lane = threadIdx.x % 32;
    if (is_crossed)
      stack[waiting + static_cast<unsigned>(__popc(left & ((1U << lane) - 1)))] =
          node | std::uint64_t{level} << 32 | std::uint64_t{crossed} << 40;
    waiting += static_cast<unsigned>(__popc(left));
    __syncwarp();
  }

  // Every lane compares four neighbouring rows.
  template <class Sink>
  __device__ void compare_block(const BoxBounds<Key, max_sides>& box, std::uint32_t block,
                                std::uint32_t sides, Sink& sink) const {
    const std::size_t first =
        std::size_t{block} * BoxTreeView::block_rows + (threadIdx.x % 32) * rows_of_lane;
    Key keys[max_sides][rows_of_lane];
#pragma unroll
    for (int s = 0; s < max_sides; ++s)
      if ((sides >> s & 1) != 0) load_four(boxes.sides[s].column, first, keys[s]);
    std::uint32_t hits = (1U << rows_of_lane) - 1;
#pragma unroll
    for (int s = 0; s < max_sides; ++s)
      if ((sides >> s & 1) != 0) {
#pragma unroll
        for (std::uint32_t i = 0; i < rows_of_lane; ++i)
          if (keys[s][i] < box.lower[s] || keys[s][i] > box.upper[s] ||
              (boxes.sides[s].set != nullptr && !is_in_set(boxes.sides[s], keys[s][i])))
            hits &= ~(1U << i);
      }
    const std::size_t rows = first < tree.size ? tree.size - first : 0;
    if (rows < rows_of_lane) hits &= (1U << rows) - 1;
    sink.add_hits(static_cast<std::uint32_t>(first), hits);
  }

  __device__ void load_four(std::uint32_t column, std::size_t first, Key* keys) const {
    if constexpr (sizeof(Key) == sizeof(std::uint32_t)) {
      const uint4 four = __ldg(reinterpret_cast<const uint4*>(
          static_cast<const Key*>(tree.points.keys[column]) + first));
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

}  // namespace rtindex::cuda
