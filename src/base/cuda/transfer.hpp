#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>

namespace rtindex::cuda {

// Whether the GPU copies from and to this host memory without a pinned buffer in between: memory of
// cudaHostAlloc, registered memory and managed memory. Checks both ends only.
[[nodiscard]] bool is_pinned(const void* memory, std::size_t bytes);

// Queues a copy between device memory and pinned host memory. False where `host` is not pinned, or
// has so few bytes that a copy through a pinned buffer takes less time than the check.
[[nodiscard]] bool copy_pinned(void* to, const void* from, const void* host, std::size_t bytes,
                               cudaStream_t stream);

// memcpy() by many threads.
void parallel_copy(void* to, const void* from, std::size_t bytes);

// Copies an array from host memory to the device: at once where it is pinned, else in bounded
// pieces through pinned buffers that many threads fill. Returns when the source may change.
void copy_to_device(void* to, const void* from, std::size_t bytes, cudaStream_t stream);

// Copies from the device to host memory in the same way. Returns when the copy is complete.
void copy_to_host(void* to, const void* from, std::size_t bytes, cudaStream_t stream);

// Copies from the device to pinned buffers, and calls callback(data, at, size) for consecutive
// pieces that begin at multiples of 64 bytes. Returns after the last call.
using PieceCallback = std::function<void(const std::byte* data, std::size_t at, std::size_t size)>;
void read_pieces(const void* from, std::size_t bytes, cudaStream_t stream,
                 const PieceCallback& callback);

}  // namespace rtindex::cuda
