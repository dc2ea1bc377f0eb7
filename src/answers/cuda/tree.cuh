#pragma once

#include "answers/aggregate.hpp"
#include "answers/cuda/ordered_values.hpp"
#include "base/cuda/launch.cuh"

namespace rtindex::cuda {

// Value i, from values or from prefix sums.
template <class Class>
struct OrderedAt {
  OrderedView<Class> view;
  [[nodiscard]] __device__ Class operator()(std::size_t i) const {
    if (view.values != nullptr) return view.values[i];
    if constexpr (std::is_same_v<Class, double>)
      return 0;
    else
      return static_cast<Class>(view.prefix_sums[i + 1] - view.prefix_sums[i]);
  }
};

struct RowAt {
  RowsView rows;
  [[nodiscard]] __device__ std::uint32_t operator()(std::size_t i) const { return rows[i]; }
};

// Elements of which the deleted ones do not change the result of the operation.
template <class At, class Deleted, class Operation>
struct ValidAt {
  At at;
  Deleted deleted;
  [[nodiscard]] __device__ auto operator()(std::size_t i) const {
    using Element = decltype(at(i));
    return deleted.has(i) ? Operation::template identity<Element>() : at(i);
  }
};

template <class Operation, class At, class Deleted>
[[nodiscard]] RTINDEX_HD ValidAt<At, Deleted, Operation> only_valid(const At& at,
                                                                    const Deleted& deleted) {
  return {at, deleted};
}

// The operation over elements [begin, end): element by element at both ends, and in between by
// blocks of the next level, and so on. Unrolled loops would double the registers of the kernels.
template <class Class, class At, class Operation>
[[nodiscard]] __device__ Class tree_result(const TreeView<Class>& tree, At at, std::size_t begin,
                                           std::size_t end, Operation operation) {
  Class result = Operation::template identity<Class>();
  for (int level = 0;; ++level) {
    const auto element = [&](std::size_t i) {
      return level == 0 ? at(i) : tree.levels[level - 1][i];
    };
    if (level == tree.count || end - begin < 2 * tree_fan) {
#pragma unroll 1
      for (; begin < end; ++begin) result = operation(result, element(begin));
      return result;
    }
#pragma unroll 1
    for (; begin % tree_fan != 0; ++begin) result = operation(result, element(begin));
#pragma unroll 1
    for (; end % tree_fan != 0; --end) result = operation(result, element(end - 1));
    begin /= tree_fan;
    end /= tree_fan;
  }
}

// One level: every warp reduces blocks of the level below, which has `size` elements.
template <class Class, class At, class Operation>
__global__ void reduce_blocks(At at, std::size_t size, Class* out, Operation operation,
                              const std::uint32_t* only_if) {
  if (only_if != nullptr && *only_if == 0) return;
  const std::size_t blocks = (size + tree_fan - 1) / tree_fan;
  const unsigned lane = threadIdx.x % 32;
  for (std::size_t block = thread_number() / 32; block < blocks; block += thread_count() / 32) {
    const std::size_t begin = block * tree_fan;
    const auto valid = static_cast<unsigned>(min(std::size_t{tree_fan}, size - begin));
    Class value = at(begin + (lane < valid ? lane : 0));
    for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
      const Class other = __shfl_down_sync(~0U, value, lanes);
      if (lane + lanes < valid) value = operation(value, other);
    }
    if (lane == 0) out[block] = value;
  }
}

template <class Class>
struct LevelAt {
  const Class* level;
  [[nodiscard]] __device__ Class operator()(std::size_t i) const { return level[i]; }
};

// The sizes of the levels of a tree over `size` elements, without those of one element; returns
// their number.
inline int tree_sizes(std::size_t size, std::size_t* sizes) {
  int count = 0;
  while (size > tree_fan && count < max_tree_levels) {
    size = (size + tree_fan - 1) / tree_fan;
    sizes[count++] = size;
  }
  return count;
}

}  // namespace rtindex::cuda
