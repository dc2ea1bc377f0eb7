#pragma once

#include "base/cuda/cache_hints.cuh"
#include "order/cuda/device_filter.hpp"

namespace rtindex::cuda {

// False: the column does not have the key.
[[nodiscard]] __device__ inline bool may_hold(const KeyFilter& filter, std::uint64_t key) {
  if (filter.words == nullptr) return true;
  const KeyFilter::Bits wanted = filter.bits_of(key);
  return (load_to_stay(filter.words + wanted.word) & wanted.bits) == wanted.bits;
}

}  // namespace rtindex::cuda
