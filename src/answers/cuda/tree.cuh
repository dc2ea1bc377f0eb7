#pragma once

#include "answers/cuda/ordered_values.hpp"
#include "answers/values.hpp"
#include "base/cuda/launch.cuh"

namespace rtindex::cuda {

struct Least {
  template <class Class>
  [[nodiscard]] __device__ Class operator()(Class a, Class b) const {
    return less(b, a) ? b : a;
  }
};
struct Greatest {
  template <class Class>
  [[nodiscard]] __device__ Class operator()(Class a, Class b) const {
    return less(a, b) ? b : a;
  }
};
struct Total {
  template <class Class>
  [[nodiscard]] __device__ Class operator()(Class a, Class b) const {
    return add(a, b);
  }
};

// Value i, from values or from prefix sums.
template <class Class>
struct OrderedAt {
  OrderedView<Class> view;
  [[nodiscard]] __device__ Class operator()(std::size_t i) const {
    if (view.values != nullptr) return view.values[i];
    if constexpr (std::is_same_v<Class, double>)
      return 0;
    else
      return static_cast<Class>(view.sums[i + 1] - view.sums[i]);
  }
};

struct RowAt {
  RowsView rows;
  [[nodiscard]] __device__ std::uint32_t operator()(std::size_t i) const { return rows[i]; }
};

// The operation over elements begin..end, of which there is at least one: the ends of the stretch
// one by one, what lies between by blocks of the next level, and so on.
template <class Class, class At, class Operation>
[[nodiscard]] __device__ Class tree_result(const TreeView<Class>& tree, At at, std::size_t begin,
                                           std::size_t end, Operation operation) {
  Class result{};
  bool any = false;
  const auto take = [&](Class value) {
    result = any ? operation(result, value) : value;
    any = true;
  };
  for (int level = 0;; ++level) {
    const auto element = [&](std::size_t i) {
      return level == 0 ? at(i) : tree.levels[level - 1][i];
    };
    if (level == tree.count || end - begin < 2 * tree_fan) {
      for (; begin < end; ++begin) take(element(begin));
      return result;
    }
    for (; begin % tree_fan != 0; ++begin) take(element(begin));
    for (; end % tree_fan != 0; --end) take(element(end - 1));
    begin /= tree_fan;
    end /= tree_fan;
  }
}

// One level: block i of the level below, by a warp. `count` full and partial blocks.
template <class Class, class At, class Operation>
__global__ void reduce_blocks(At at, std::size_t size, Class* out, Operation operation,
                              const std::uint32_t* only_if) {
  if (only_if != nullptr && *only_if == 0) return;
  const std::size_t blocks = (size + tree_fan - 1) / tree_fan;
  const unsigned lane = threadIdx.x % 32;
  for (std::size_t block = thread_number() / 32; block < blocks; block += thread_count() / 32) {
    const std::size_t begin = block * tree_fan;
    const auto live = static_cast<unsigned>(min(std::size_t{tree_fan}, size - begin));
    Class value = at(begin + (lane < live ? lane : 0));
    for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
      const Class other = __shfl_down_sync(~0U, value, lanes);
      if (lane + lanes < live) value = operation(value, other);
    }
    if (lane == 0) out[block] = value;
  }
}

template <class Class>
struct LevelAt {
  const Class* level;
  [[nodiscard]] __device__ Class operator()(std::size_t i) const { return level[i]; }
};

// How many elements each level of a tree over `size` elements has; levels of one element are left
// out.
inline int tree_sizes(std::size_t size, std::size_t* sizes) {
  int count = 0;
  while (size > tree_fan && count < most_tree_levels) {
    size = (size + tree_fan - 1) / tree_fan;
    sizes[count++] = size;
  }
  return count;
}

}  // namespace rtindex::cuda
