#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

#include "keys/cuda/device_keys.hpp"

namespace rtindex::cuda {

// A batch in the order of its keys, and where each lookup stood before.
template <class Key>
struct OrderedLookups {
  DeviceArray<KeyInterval<Key>> intervals;
  DeviceArray<std::uint32_t> places;
};

// Sorts the lookups by the highest bits of their lower ends, which is all that it takes for
// neighbours to need the same memory.
template <class Key>
[[nodiscard]] OrderedLookups<Key> order_lookups(const KeyInterval<Key>* intervals,
                                                std::size_t count, std::uint64_t span,
                                                const std::shared_ptr<DeviceMemory>& memory,
                                                cudaStream_t stream);

}  // namespace rtindex::cuda
