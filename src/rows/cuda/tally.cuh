#pragma once

#include <cuda_runtime_api.h>

#include "base/cuda/device_array.hpp"
#include "base/cuda/runtime.hpp"

namespace rtindex::cuda {

// Adds the numbers of all threads of a warp to a total.
__device__ inline void add_count(unsigned long long bits, unsigned long long* total) {
  for (int lanes = 16; lanes > 0; lanes /= 2) bits += __shfl_down_sync(~0U, bits, lanes);
  if (threadIdx.x % 32 == 0 && bits != 0) atomicAdd(total, bits);
}

// A number on the device, 0 at first.
template <class T>
class Tally {
 public:
  explicit Tally(const Queue& queue) : number_(queue, 1), stream_(queue) {
    check(cudaMemsetAsync(number_.data(), 0, sizeof(T), queue), "filling memory");
  }
  [[nodiscard]] T* get() const { return number_.data(); }
  // Blocks until all work on the stream is done.
  [[nodiscard]] T read(const char* doing) const {
    T value{};
    check(cudaMemcpyAsync(&value, number_.data(), sizeof(T), cudaMemcpyDeviceToHost, stream_),
          "copying from the GPU");
    check(cudaStreamSynchronize(stream_), doing);
    return value;
  }

 private:
  DeviceArray<T> number_;
  cudaStream_t stream_;
};

}  // namespace rtindex::cuda
