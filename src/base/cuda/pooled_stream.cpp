#include "base/cuda/pooled_stream.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

namespace rtindex::cuda {

namespace {

[[nodiscard]] bool is_idle(cudaStream_t stream) {
  if (cudaStreamQuery(stream) == cudaSuccess) return true;
  static_cast<void>(cudaGetLastError());
  return false;
}

class StreamPool {
 public:
  [[nodiscard]] cudaStream_t acquire(int device) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = std::find_if(free_.begin(), free_.end(), [&](const Free& free) {
        return free.device == device && is_idle(free.stream);
      });
      if (found != free_.end()) {
        cudaStream_t const stream = found->stream;
        free_.erase(found);
        return stream;
      }
      // release() must not allocate.
      free_.reserve(++streams_);
    }
    OwnStream stream;
    return stream.release();
  }

  void release(cudaStream_t stream, int device) noexcept {
    const std::lock_guard lock(mutex_);
    if (free_.size() < free_.capacity()) free_.push_back({stream, device});
  }

 private:
  struct Free {
    cudaStream_t stream;
    int device;
  };

  std::mutex mutex_;
  std::vector<Free> free_;
  std::size_t streams_ = 0;
};

// Never freed: indexes in static storage may outlive everything else.
StreamPool& stream_pool() {
  static auto* const pool = new StreamPool;
  return *pool;
}

}  // namespace

PooledStream::PooledStream() {
  check(cudaGetDevice(&device_), "querying the current GPU");
  stream_ = stream_pool().acquire(device_);
}

PooledStream::~PooledStream() {
  if (stream_ != nullptr) stream_pool().release(stream_, device_);
}

void PooledStream::wait() const { check(cudaStreamSynchronize(stream_), "waiting for the GPU"); }

}  // namespace rtindex::cuda
