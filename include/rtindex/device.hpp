#pragma once

/// \file
/// Device memory: where arrays lie, the streams that calls are queued on, and who allocates.

#include <cstddef>
#include <cstdint>
#include <memory>

#include <rtindex/export.hpp>

namespace rtindex {

/// The memory that holds an array.
enum class MemorySpace : std::uint8_t {
  host,    ///< memory that the CPU reads
  device,  ///< memory of the GPU that the index is on (cudaMalloc and its relatives)
};

/// A CUDA stream, as a `cudaStream_t`; null is the default stream. Ignored on the CPU.
struct Stream {
  void* handle = nullptr;
};

/// Where indexes on a GPU get their memory. The default takes it from a pool of `cudaMallocAsync`.
///
/// Both calls are made with the index's device current, and from many threads at once. Memory is
/// used in stream order: what `allocate` returns is first used on `stream`, and nothing uses it on
/// any other stream once `release` was called with `stream`.
class RTINDEX_API DeviceMemory {
 public:
  virtual ~DeviceMemory();
  /// Device memory, aligned to 256 bytes; null where there is not enough.
  [[nodiscard]] virtual void* allocate(std::size_t bytes, Stream stream) noexcept = 0;
  /// Takes back what `allocate` gave.
  virtual void release(void* memory, std::size_t bytes, Stream stream) noexcept = 0;
};

/// Replaces the memory of indexes that are built from now on; null brings the default back. An
/// index keeps the memory that it was built with, for its own arrays and for those of its lookups.
RTINDEX_API void set_device_memory(std::shared_ptr<DeviceMemory> memory);

}  // namespace rtindex
