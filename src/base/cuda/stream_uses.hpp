#pragma once

#include <cuda_runtime_api.h>

#include <shared_mutex>
#include <vector>

#include "base/cuda/runtime.hpp"

namespace rtindex::cuda {

// The callers' streams that read the arrays of an index, each with an event after its last read:
// freeing the arrays waits for these streams alone, on the GPU, not for the whole of it. Any number
// of threads may record at once.
class StreamUses {
 public:
  // The work queued on `stream` so far reads the arrays. Streams under capture are skipped: the
  // caller has to keep the index until the launches of its graph are done.
  void record(cudaStream_t stream) noexcept;
  // Blocks until all recorded reads are done; the first failure.
  [[nodiscard]] cudaError_t wait() const noexcept;
  // Work queued on `stream` from now on waits for all recorded reads. Blocks only where it cannot.
  void wait_on(cudaStream_t stream) const noexcept;
  // Whether all recorded reads are done.
  [[nodiscard]] bool done() const noexcept;

 private:
  struct Use {
    unsigned long long stream;  // its id: the handle of a destroyed stream may be reused
    Event event;
  };

  [[nodiscard]] const Event* find(unsigned long long stream) const;
  [[nodiscard]] cudaError_t record(cudaStream_t stream, unsigned long long id);

  mutable std::shared_mutex mutex_;
  std::vector<Use> uses_;
};

// Records a use at the end of a call, also of a call that fails after queueing some work.
class RecordUseOnExit {
 public:
  RecordUseOnExit(StreamUses& uses, cudaStream_t stream) : uses_(uses), stream_(stream) {}
  ~RecordUseOnExit() { uses_.record(stream_); }
  RecordUseOnExit(const RecordUseOnExit&) = delete;
  RecordUseOnExit& operator=(const RecordUseOnExit&) = delete;

 private:
  StreamUses& uses_;
  cudaStream_t stream_;
};

}  // namespace rtindex::cuda
