#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

#include "base/cuda/device_array.hpp"
#include "base/cuda/runtime.hpp"

namespace rtindex::cuda {

// CUB's two calls: call(nullptr, bytes) says how much scratch memory it needs, call(memory, bytes)
// does the work.
template <class Call>
void with_scratch(const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream,
                  const char* doing, Call&& call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes), doing);
  const DeviceBytes scratch(memory, bytes, stream);
  check(call(scratch.data(), bytes), doing);
}

}  // namespace rtindex::cuda
