#pragma once

#include <cuda_runtime_api.h>

namespace rtindex::test {

// A kernel that keeps a stream of its own busy until it is stopped or its time is up.
class SpinningKernel {
 public:
  // On a stream of its own.
  explicit SpinningKernel(double seconds);
  // On the caller's stream.
  SpinningKernel(double seconds, cudaStream_t stream);
  // Stops the kernel and waits for it.
  ~SpinningKernel();
  SpinningKernel(const SpinningKernel&) = delete;
  SpinningKernel& operator=(const SpinningKernel&) = delete;
  [[nodiscard]] bool is_running() const;

 private:
  void start(double seconds);

  struct Flags;
  Flags* flags_ = nullptr;  // pinned: read and written by the host and the kernel
  cudaStream_t stream_ = nullptr;
  cudaEvent_t done_ = nullptr;
  bool owns_stream_;
};

}  // namespace rtindex::test
