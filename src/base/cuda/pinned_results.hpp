#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include "base/cuda/runtime.hpp"
#include "base/cuda/staging.hpp"

namespace rtindex::cuda {

// A few results that a kernel writes to pinned host memory by itself: no copy follows it. All bytes
// are 0 at first.
template <class T>
requires std::is_trivially_copyable_v<T>
class PinnedResults {
 public:
  // For one kernel on the stream.
  explicit PinnedResults(cudaStream_t stream, std::size_t size = 1)
      : stream_(stream), results_(reinterpret_cast<T*>(room(size).data()), size) {
    std::memset(static_cast<void*>(results_.data()), 0, results_.size_bytes());
  }
  // The kernel of a call that failed may still write them.
  ~PinnedResults() {
    if (!is_done_) static_cast<void>(cudaStreamSynchronize(stream_));
  }
  PinnedResults(const PinnedResults&) = delete;
  PinnedResults& operator=(const PinnedResults&) = delete;

  [[nodiscard]] T* data() const { return results_.data(); }
  // Blocks until all work on the stream is done.
  [[nodiscard]] std::span<const T> read(const char* doing) {
    check(cudaStreamSynchronize(stream_), doing);
    is_done_ = true;
    return results_;
  }

 private:
  [[nodiscard]] std::span<std::byte> room(std::size_t size) {
    return staging_.room(size * sizeof(T));
  }

  Staging staging_{1};
  cudaStream_t stream_;
  std::span<T> results_;
  bool is_done_ = false;
};

}  // namespace rtindex::cuda
