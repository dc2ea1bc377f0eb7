#pragma once

#include <cstdint>

#include "answers/aggregate.hpp"
#include "answers/cuda/deleted_positions.hpp"
#include "answers/cuda/run.hpp"
#include "answers/values.hpp"

namespace rtindex::cuda {

// The first lane gets the aggregates of all lanes of the warp.
template <class Class>
[[nodiscard]] __device__ ValueAggregate<Class> merge_warp(ValueAggregate<Class> own) {
  for (unsigned lanes = 16; lanes > 0; lanes /= 2)
    own.merge({__shfl_down_sync(~0U, own.sum, lanes), __shfl_down_sync(~0U, own.min, lanes),
               __shfl_down_sync(~0U, own.max, lanes)});
  return own;
}

// The values of the valid positions in [begin, end), by a warp: the first lane gets the result.
template <class Class, class Deleted>
[[nodiscard]] __device__ ValueAggregate<Class> aggregate_by_warp(const Values<Class>& values,
                                                                 RowsView rows,
                                                                 const Deleted& deleted,
                                                                 std::uint64_t begin,
                                                                 std::uint64_t end) {
  ValueAggregate<Class> own;
#pragma unroll 4
  for (std::uint64_t at = begin + threadIdx.x % 32; at < end; at += 32)
    if (!deleted.has(at)) own.add(values[rows[at]]);
  return merge_warp(own);
}

}  // namespace rtindex::cuda
