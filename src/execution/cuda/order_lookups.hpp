#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/cuda/device_array.hpp"
#include "keys/interval.hpp"

namespace rtindex::cuda {

// A batch in the order of its keys, and the output position of each lookup.
template <class Key>
struct OrderedLookups {
  DeviceArray<KeyInterval<Key>> intervals;
  DeviceArray<std::uint32_t> positions;
};

// Sorts lookups by the highest bits of their lower ends: enough for neighbours to read the same
// memory.
template <class Key>
[[nodiscard]] OrderedLookups<Key> order_lookups(const KeyInterval<Key>* intervals,
                                                std::size_t count, std::uint64_t span,
                                                const std::shared_ptr<DeviceMemory>& memory,
                                                cudaStream_t stream);

}  // namespace rtindex::cuda
