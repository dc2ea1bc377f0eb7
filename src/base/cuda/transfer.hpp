#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace rtindex::cuda {

// Copies from host memory to the device in bounded pieces through pinned buffers, one being filled
// while the other is on its way. Returns once the source may change; the copy is complete in the
// order of the stream.
void copy_to_device(void* to, const void* from, std::size_t bytes, cudaStream_t stream);

// Copies from the device to host memory in the same way. Returns once all is there.
void copy_to_host(void* to, const void* from, std::size_t bytes, cudaStream_t stream);

}  // namespace rtindex::cuda
