#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <rtindex/column.hpp>

#include "base/cuda/device_array.hpp"
#include "keys/interval.hpp"
#include "keys/runtime_bounds.hpp"

namespace rtindex::cuda {

// Elements in device memory, with a validity bitmap or without.
struct DeviceElements {
  const void* data = nullptr;
  ElementType type{};
  const std::uint8_t* validity = nullptr;
  std::size_t validity_offset = 0;
  std::size_t size = 0;
};

// The ordered_bits() of the smallest and largest valid key; smallest > largest if there is none.
struct DeviceExtent {
  std::uint64_t smallest, largest;
  std::size_t valid;
};

// Blocks until it is computed.
[[nodiscard]] DeviceExtent extent_of(const DeviceElements& column,
                                     const std::shared_ptr<DeviceMemory>& memory,
                                     cudaStream_t stream);

// The encoded keys of a column's valid rows, in row order, and their rowIDs if some rows are null.
struct DeviceColumn {
  DeviceArray<std::uint32_t> narrow;  // keys of 4 bytes, or
  DeviceArray<std::uint64_t> wide;    // of 8, maybe with room after them, or
  DeviceArray<std::uint64_t> pairs;   // keys of 4 bytes with their rows: key << 32 | row
  DeviceArray<std::uint32_t> rows;    // empty: key i is row i
  std::size_t size = 0;               // valid rows
  std::size_t row_count = 0;
  std::uint64_t span = 0;

  [[nodiscard]] bool is_wide() const { return rtindex::is_wide(span); }
};

// `pair_room` requests keys with their rows, and room for so many more: keys of 4 bytes become
// pairs, those of 8 get the memory of as many KeyBlocks.
[[nodiscard]] DeviceColumn encode_column(const DeviceElements& column, const NativeMap& map,
                                         std::size_t valid, std::optional<std::size_t> pair_room,
                                         const std::shared_ptr<DeviceMemory>& memory,
                                         cudaStream_t stream);

// The new keys of an update, encoded like the column.
struct NewKeys {
  DeviceArray<std::uint64_t> keys;   // encoded; meaningless where they are null or below the base
  DeviceExtent extent;               // of their ordered_bits()
  std::optional<std::size_t> unfit;  // the first that the column's type cannot hold
};

// Blocks until it is computed.
[[nodiscard]] NewKeys encode_new_keys(const DeviceElements& keys, const NativeMap& map,
                                      const std::shared_ptr<DeviceMemory>& memory,
                                      cudaStream_t stream);

// Lookups [0, size) as intervals. `upper` is `lower` for points.
template <class Key>
void encode_lookups(const DeviceElements& lower, const DeviceElements& upper, const NativeMap& map,
                    KeyInterval<Key>* intervals, cudaStream_t stream);

}  // namespace rtindex::cuda
