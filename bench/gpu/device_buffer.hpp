#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "base/cuda/runtime.hpp"

namespace rtindex::bench {

// An array in device memory.
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t bytes) : bytes_(bytes) {
    cuda::check(cudaMalloc(&data_, bytes == 0 ? 1 : bytes), "allocating memory for a benchmark");
  }
  ~DeviceBuffer() { static_cast<void>(cudaFree(data_)); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  // Overwrites the results of an earlier run.
  void poison() const { cuda::check(cudaMemset(data_, 0xa5, bytes_), "filling memory"); }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

// Times the work on the default stream between start() and stop().
class DeviceClock {
 public:
  DeviceClock() {
    for (cudaEvent_t& event : events_) cuda::check(cudaEventCreate(&event), "creating an event");
  }
  ~DeviceClock() {
    for (cudaEvent_t event : events_) static_cast<void>(cudaEventDestroy(event));
  }
  DeviceClock(const DeviceClock&) = delete;
  DeviceClock& operator=(const DeviceClock&) = delete;
  void start() const { cuda::check(cudaEventRecord(events_[0]), "timing"); }
  // Milliseconds.
  [[nodiscard]] double stop() const {
    cuda::check(cudaEventRecord(events_[1]), "timing");
    cuda::check(cudaEventSynchronize(events_[1]), "timing");
    float milliseconds = 0;
    cuda::check(cudaEventElapsedTime(&milliseconds, events_[0], events_[1]), "timing");
    return milliseconds;
  }

 private:
  cudaEvent_t events_[2] = {};
};

}  // namespace rtindex::bench
