#pragma once

#include <cuda_runtime_api.h>

#include <utility>
#include <vector>

#include "base/cuda/runtime.hpp"

namespace rtindex::cuda {

// Milliseconds that work on a stream takes.
class Stopwatch {
 public:
  explicit Stopwatch(cudaStream_t stream) : stream_(stream) {
    check(cudaEventCreate(&begin_), "making an event");
    if (const cudaError_t status = cudaEventCreate(&end_); status != cudaSuccess) {
      static_cast<void>(cudaEventDestroy(begin_));
      check(status, "making an event");
    }
    static_cast<void>(cudaEventRecord(begin_, stream_));
  }
  ~Stopwatch() {
    if (begin_ != nullptr) static_cast<void>(cudaEventDestroy(begin_));
    if (end_ != nullptr) static_cast<void>(cudaEventDestroy(end_));
  }
  Stopwatch(Stopwatch&& other) noexcept
      : stream_(other.stream_),
        begin_(std::exchange(other.begin_, nullptr)),
        end_(std::exchange(other.end_, nullptr)) {}
  Stopwatch& operator=(Stopwatch&&) = delete;

  // After the work that is queued so far.
  void stop() const { check(cudaEventRecord(end_, stream_), "taking a time"); }
  // The time from the start to the stop. Blocks until the work between them is done.
  [[nodiscard]] double elapsed() const {
    check(cudaEventSynchronize(end_), "waiting for the GPU");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "taking a time");
    return milliseconds;
  }
  // The time since the start or the last lap. Blocks until the work before it is done.
  [[nodiscard]] double lap() {
    stop();
    const double milliseconds = elapsed();
    check(cudaEventRecord(begin_, stream_), "taking a time");
    return milliseconds;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

// The GPU time of the launches of one call; nothing is timed unless the call requests it.
class LaunchTimes {
 public:
  explicit LaunchTimes(double* wanted) : wanted_(wanted) {}

  template <class Launch>
  void measure(cudaStream_t stream, Launch&& launch) {
    if (wanted_ == nullptr) return launch();
    watches_.emplace_back(stream);
    launch();
    watches_.back().stop();
  }
  // Waits for the work on the caller's stream and adds up the time of the launches.
  void finish(cudaStream_t caller) const {
    if (wanted_ == nullptr) return;
    check(cudaStreamSynchronize(caller), "waiting for the GPU");
    for (const Stopwatch& watch : watches_) *wanted_ += watch.elapsed();
  }

 private:
  double* wanted_;
  std::vector<Stopwatch> watches_;
};

}  // namespace rtindex::cuda
