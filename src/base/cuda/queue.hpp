#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include <rtindex/device.hpp>

namespace rtindex::cuda {

// Where a function allocates device memory and queues its work: an allocator and a stream of the
// current GPU. Refers to the owner's pointer to the allocator, so that no call counts references.
class Queue {
 public:
  Queue(const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream)
      : memory_(&memory), stream_(stream) {}
  Queue(std::shared_ptr<DeviceMemory>&& memory, cudaStream_t stream) = delete;

  [[nodiscard]] const std::shared_ptr<DeviceMemory>& memory() const { return *memory_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  operator cudaStream_t() const { return stream_; }  // NOLINT(google-explicit-constructor)

 private:
  const std::shared_ptr<DeviceMemory>* memory_;
  cudaStream_t stream_;
};

}  // namespace rtindex::cuda
