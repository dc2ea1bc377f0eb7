#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <limits>

#include <rtindex/device.hpp>

namespace rtindex::test {

// Fails from the n-th allocation on.
class FailingMemory final : public DeviceMemory {
 public:
  void* allocate(std::size_t bytes, Stream) noexcept override {
    if (left == 0) return nullptr;
    --left;
    void* memory = nullptr;
    if (cudaMalloc(&memory, bytes) != cudaSuccess) return nullptr;
    used += bytes;
    return memory;
  }
  void release(void* memory, std::size_t bytes, Stream) noexcept override {
    static_cast<void>(cudaDeviceSynchronize());
    static_cast<void>(cudaFree(memory));
    used -= bytes;
  }

  static constexpr long unlimited = std::numeric_limits<long>::max();
  std::atomic<long> left = unlimited;
  std::atomic<std::size_t> used = 0;
};

}  // namespace rtindex::test
