#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "keys/cuda/device_keys.hpp"

namespace rtindex::cuda {

// Sets the bits of the keys that are valid and not `inside`.
void find_outside(const DeviceElements& keys, const std::uint8_t* inside, std::uint8_t* outside,
                  cudaStream_t stream);

// The greatest ends before keys and the least starts behind them, elements of one type, and the
// bits of the keys that have one.
struct ClosestPoints {
  const void* ends = nullptr;
  const void* starts = nullptr;
  ElementType type{};
  std::uint8_t* has_end = nullptr;
  std::uint8_t* has_start = nullptr;
};

// Clears the bit of the farther one where a key has both; of two that are as close, none.
void drop_farther(const DeviceElements& keys, const ClosestPoints& found, cudaStream_t stream);

}  // namespace rtindex::cuda
