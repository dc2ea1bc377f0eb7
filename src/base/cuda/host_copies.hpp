#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "base/cuda/staging.hpp"

namespace rtindex::cuda {

// Copies from host memory to the device that are queued on one stream: from pinned memory as it is,
// from pageable memory through pinned buffers that many threads fill.
class CopiesIn {
 public:
  // The source may change when the work on the stream is done.
  void copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream);
  // Copies what fill(buffer, at, size) writes: bytes [at, at + size), which begin and end at
  // multiples of 64, or at the end.
  using Fill = std::function<void(std::byte* buffer, std::size_t at, std::size_t size)>;
  void copy_filled(void* to, std::size_t bytes, cudaStream_t stream, const Fill& fill);

  // Whether reset() has to wait for the stream.
  [[nodiscard]] bool in_use() const { return staging_.in_use(); }
  // The work on the stream is done.
  void reset() { staging_.clear(); }
  void release() noexcept { staging_.release(); }

 private:
  Staging staging_;
};

// Copies from the device to host memory that are queued on one stream. What goes through pinned
// buffers is written to the caller's memory by finish().
class CopiesOut {
 public:
  void copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream);
  [[nodiscard]] bool in_use() const { return staging_.in_use(); }
  // Once the work on the stream is done.
  void finish();
  // Drops what has not been written.
  void release() noexcept;

 private:
  struct Waiting {
    void* to;
    const std::byte* from;
    std::size_t bytes;
  };

  Staging staging_;
  std::vector<Waiting> waiting_;
};

}  // namespace rtindex::cuda
