#pragma once

#include <cuda_runtime_api.h>

#include "base/cuda/runtime.hpp"

namespace rtindex::optix {

// Milliseconds that work on a stream takes.
class Stopwatch {
 public:
  explicit Stopwatch(cudaStream_t stream) : stream_(stream) {
    cuda::check(cudaEventCreate(&begin_), "making an event");
    if (const cudaError_t status = cudaEventCreate(&end_); status != cudaSuccess) {
      static_cast<void>(cudaEventDestroy(begin_));
      cuda::check(status, "making an event");
    }
    static_cast<void>(cudaEventRecord(begin_, stream_));
  }
  ~Stopwatch() {
    static_cast<void>(cudaEventDestroy(begin_));
    static_cast<void>(cudaEventDestroy(end_));
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  // The time since the start or the last lap. Blocks until the work before it is done.
  [[nodiscard]] double lap() {
    cuda::check(cudaEventRecord(end_, stream_), "taking a time");
    cuda::check(cudaEventSynchronize(end_), "waiting for the GPU");
    float milliseconds = 0;
    cuda::check(cudaEventElapsedTime(&milliseconds, begin_, end_), "taking a time");
    cuda::check(cudaEventRecord(begin_, stream_), "taking a time");
    return milliseconds;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

}  // namespace rtindex::optix
