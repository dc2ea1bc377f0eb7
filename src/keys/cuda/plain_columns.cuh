#pragma once

#include "base/cuda/launch.cuh"
#include "keys/cuda/device_keys.hpp"

// Columns of integers of 4 or 8 bytes without nulls, which is what most are: encoded with several
// loads of a thread under way at once. ordered_bits() of such an element is itself but for the sign
// bit. Included by one file only.

namespace rtindex::cuda {

namespace {

constexpr int loads_under_way = 8;

template <class Element, class Work>
__device__ void for_each_plain(const Element* elements, std::size_t size, Work work) {
  const std::size_t step = thread_count();
  std::size_t i = thread_number();
  for (; i + (loads_under_way - 1) * step < size; i += loads_under_way * step) {
    Element loaded[loads_under_way];
#pragma unroll
    for (int k = 0; k < loads_under_way; ++k) loaded[k] = __ldcs(elements + i + k * step);
#pragma unroll
    for (int k = 0; k < loads_under_way; ++k) work(i + k * step, loaded[k]);
  }
  for (; i < size; i += step) work(i, __ldcs(elements + i));
}

template <class Element>
__global__ void plain_extent(const Element* elements, std::size_t size, Element flip,
                             DeviceExtent* extent) {
  Element smallest = ~Element{0};
  Element largest = 0;
  for_each_plain(elements, size, [&](std::size_t, Element element) {
    smallest = min(smallest, static_cast<Element>(element ^ flip));
    largest = max(largest, static_cast<Element>(element ^ flip));
  });
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    smallest = min(smallest, __shfl_down_sync(~0U, smallest, lanes));
    largest = max(largest, __shfl_down_sync(~0U, largest, lanes));
  }
  constexpr int warps = block_threads / 32;
  __shared__ Element of_warps[2][warps];
  if (threadIdx.x % 32 == 0) {
    of_warps[0][threadIdx.x / 32] = smallest;
    of_warps[1][threadIdx.x / 32] = largest;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < warps; ++warp) {
    smallest = min(smallest, of_warps[0][warp]);
    largest = max(largest, of_warps[1][warp]);
  }
  atomicMin(reinterpret_cast<unsigned long long*>(&extent->smallest),
            static_cast<unsigned long long>(smallest));
  atomicMax(reinterpret_cast<unsigned long long*>(&extent->largest),
            static_cast<unsigned long long>(largest));
}

template <class Element>
__global__ void plain_pairs(const Element* elements, std::size_t size, Element flip,
                            std::uint64_t base, std::uint64_t* pairs) {
  for_each_plain(elements, size, [&](std::size_t i, Element element) {
    pairs[i] = (std::uint64_t{static_cast<Element>(element ^ flip)} - base) << 32 | i;
  });
}

template <class Element, class Key>
__global__ void plain_keys(const Element* elements, std::size_t size, Element flip,
                           std::uint64_t base, Key* keys) {
  for_each_plain(elements, size, [&](std::size_t i, Element element) {
    keys[i] = static_cast<Key>(std::uint64_t{static_cast<Element>(element ^ flip)} - base);
  });
}

// Calls work(elements, flip) where a column is plain; false where it is not.
template <class Work>
bool if_plain(const DeviceElements& column, Work&& work) {
  const bool is_signed = column.type.kind == ElementType::Kind::signed_int;
  if (column.validity != nullptr || column.size == 0 ||
      (!is_signed && column.type.kind != ElementType::Kind::unsigned_int))
    return false;
  if (column.type.bytes == 4)
    work(static_cast<const std::uint32_t*>(column.data), is_signed ? 0x80000000U : 0U);
  else if (column.type.bytes == 8)
    work(static_cast<const unsigned long long*>(column.data), is_signed ? 1ULL << 63 : 0ULL);
  else
    return false;
  return true;
}

// As many blocks as run at once, each with several rounds.
[[nodiscard]] unsigned plain_blocks(std::size_t size) {
  return loop_blocks(size / loads_under_way + 1);
}

}  // namespace

}  // namespace rtindex::cuda
