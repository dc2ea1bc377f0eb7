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

// Row `rows[i]` of a column gets key `keys[i]`. False where a row holds no key yet; blocks until
// that is known.
[[nodiscard]] bool patch_column(DeviceColumn& column, const std::uint32_t* rows,
                                const std::uint64_t* keys, std::size_t count,
                                const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream);

}  // namespace rtindex::cuda
