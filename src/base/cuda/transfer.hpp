#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace rtindex::cuda {

// Copies from host memory to the device in bounded pieces through two pinned buffers: one is filled
// while the other is copied. Returns when the source may change; the copy completes in stream
// order.
void copy_to_device(void* to, const void* from, std::size_t bytes, cudaStream_t stream);

// Copies from the device to host memory in the same way. Returns when the copy is complete.
void copy_to_host(void* to, const void* from, std::size_t bytes, cudaStream_t stream);

}  // namespace rtindex::cuda
