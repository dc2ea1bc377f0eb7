#pragma once

#include <cstdint>
#include <type_traits>

#include "answers/cuda/device_answers.hpp"
#include "answers/values.hpp"

namespace rtindex::cuda {

template <class Class>
[[nodiscard]] __device__ Class miss_of(const MissValues& miss) {
  if constexpr (std::is_same_v<Class, double>) return miss.f64;
  if constexpr (std::is_same_v<Class, std::int64_t>) return miss.i64;
  return miss.u64;
}

// What the values of some matches come to.
template <class Class>
struct Aggregate {
  Class sum, least, greatest;
  bool any;

  __device__ void take(Class value) {
    sum = any ? add(sum, value) : value;
    least = any && !less(value, least) ? least : value;
    greatest = any && !less(greatest, value) ? greatest : value;
    any = true;
  }
  __device__ void take(const Aggregate& other) {
    if (!other.any) return;
    if (any) {
      sum = add(sum, other.sum);
      if (less(other.least, least)) least = other.least;
      if (less(greatest, other.greatest)) greatest = other.greatest;
    } else {
      *this = other;
    }
  }
  // The first lane gets what all lanes of the warp have found.
  __device__ void merge_warp() {
    for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
      const Aggregate other{__shfl_down_sync(~0U, sum, lanes), __shfl_down_sync(~0U, least, lanes),
                            __shfl_down_sync(~0U, greatest, lanes),
                            static_cast<bool>(__shfl_down_sync(~0U, static_cast<int>(any), lanes))};
      take(other);
    }
  }
};

// The values of positions [begin, end), by a warp: the first lane gets the result.
template <class Class>
[[nodiscard]] __device__ Aggregate<Class> aggregate_by_warp(const Values<Class>& values,
                                                            RowsView rows, std::uint64_t begin,
                                                            std::uint64_t end) {
  Aggregate<Class> part{};
#pragma unroll 4
  for (std::uint64_t at = begin + threadIdx.x % 32; at < end; at += 32) part.take(values[rows[at]]);
  part.merge_warp();
  return part;
}

template <class Class>
__device__ void write_aggregate(const DeviceRequest& request, std::size_t i,
                                const Aggregate<Class>& result) {
  const Class miss = miss_of<Class>(request.miss);
  if (request.sum != nullptr) static_cast<Class*>(request.sum)[i] = result.any ? result.sum : miss;
  if (request.min != nullptr)
    static_cast<Class*>(request.min)[i] = result.any ? result.least : miss;
  if (request.max != nullptr)
    static_cast<Class*>(request.max)[i] = result.any ? result.greatest : miss;
}

}  // namespace rtindex::cuda
