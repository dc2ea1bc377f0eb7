#pragma once

/// \file
/// Device memory: memory spaces, streams, and the allocator of indexes on a GPU.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <rtindex/export.hpp>

namespace rtindex {

/// The memory that holds an array.
enum class MemorySpace : std::uint8_t {
  host,    ///< memory that the CPU reads
  device,  ///< memory of the GPU that the index is on (cudaMalloc and its relatives)
};

/// "host" or "device".
[[nodiscard]] RTINDEX_API std::string_view name_of(MemorySpace space);

/// A CUDA stream, as a `cudaStream_t`; null is the default stream. Ignored on the CPU.
struct Stream {
  void* handle = nullptr;
};

/// An allocator for indexes on a GPU, passed to `build` or `load`. The default is a pool of
/// `cudaMallocAsync`.
///
/// Both calls are made with the index's device current, and from many threads at once. Memory is
/// used in stream order: what `allocate` returns is first used on `stream`, and nothing uses it on
/// any other stream once `release` was called with `stream`.
class RTINDEX_API DeviceMemory {
 public:
  virtual ~DeviceMemory();
  /// Device memory, aligned to 256 bytes; null where there is not enough.
  [[nodiscard]] virtual void* allocate(std::size_t bytes, Stream stream) noexcept = 0;
  /// Frees memory of `allocate`.
  virtual void release(void* memory, std::size_t bytes, Stream stream) noexcept = 0;
};

}  // namespace rtindex
