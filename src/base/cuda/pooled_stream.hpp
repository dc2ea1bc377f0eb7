#pragma once

#include <cuda_runtime_api.h>

#include <utility>

#include "base/cuda/runtime.hpp"

namespace rtindex::cuda {

// A stream of our own that is never destroyed: memory can be released on it at any time, and work
// may still be queued on it when it goes back to the pool. Only idle streams are reused, so that
// new work never waits for old work.
class PooledStream {
 public:
  // A stream of the current GPU.
  PooledStream();
  ~PooledStream();
  PooledStream(PooledStream&& other) noexcept
      : stream_(std::exchange(other.stream_, nullptr)), device_(other.device_) {}
  PooledStream& operator=(PooledStream&&) = delete;

  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void wait() const;

 private:
  cudaStream_t stream_ = nullptr;
  int device_ = 0;
};

// Blocks until the work of a stream is done when a scope ends, also by an exception: until then the
// work may read arrays of the caller.
class WaitOnExit {
 public:
  explicit WaitOnExit(cudaStream_t stream) : stream_(stream) {}
  ~WaitOnExit() {
    if (waits_) static_cast<void>(cudaStreamSynchronize(stream_));
  }
  WaitOnExit(const WaitOnExit&) = delete;
  WaitOnExit& operator=(const WaitOnExit&) = delete;
  // Does not wait at the end of the scope.
  void release() { waits_ = false; }

 private:
  cudaStream_t stream_;
  bool waits_ = true;
};

}  // namespace rtindex::cuda
