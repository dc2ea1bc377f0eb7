#include "base/cuda/transfer.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "base/cuda/device_array.hpp"
#include "base/cuda/runtime.hpp"

namespace rtindex::cuda {

namespace {

constexpr std::size_t piece_bytes = std::size_t{8} << 20;

// Two pinned buffers; pinning memory is slow, so they are kept for the next copy on the same GPU,
// which their events belong to.
struct Buffers {
  int device = 0;
  PinnedBytes bytes[2] = {PinnedBytes(piece_bytes), PinnedBytes(piece_bytes)};
  Event done[2];
};

class BufferPool {
 public:
  [[nodiscard]] std::unique_ptr<Buffers> take() {
    int device = 0;
    check(cudaGetDevice(&device), "asking for the current GPU");
    {
      const std::lock_guard lock(mutex_);
      const auto found = std::find_if(free_.begin(), free_.end(), [&](const auto& buffers) {
        return buffers->device == device;
      });
      if (found != free_.end()) {
        std::unique_ptr<Buffers> buffers = std::move(*found);
        free_.erase(found);
        return buffers;
      }
    }
    auto buffers = std::make_unique<Buffers>();
    buffers->device = device;
    return buffers;
  }
  void give_back(std::unique_ptr<Buffers> buffers) {
    constexpr std::size_t most = 8;
    const std::lock_guard lock(mutex_);
    if (free_.size() < most) free_.push_back(std::move(buffers));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Buffers>> free_;
};

// Never freed: the CUDA run-time may be gone before static objects are.
BufferPool& pool() {
  static auto* const pool = new BufferPool;
  return *pool;
}

}  // namespace

void copy_to_device(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return;
  std::unique_ptr<Buffers> buffers = pool().take();
  std::size_t piece = 0;
  for (std::size_t at = 0; at < bytes; at += piece_bytes, ++piece) {
    const std::size_t size = std::min(piece_bytes, bytes - at);
    const std::size_t slot = piece % 2;
    if (piece >= 2) buffers->done[slot].wait();
    std::memcpy(buffers->bytes[slot].data(), static_cast<const std::byte*>(from) + at, size);
    check(cudaMemcpyAsync(static_cast<std::byte*>(to) + at, buffers->bytes[slot].data(), size,
                          cudaMemcpyHostToDevice, stream),
          "copying to the GPU");
    buffers->done[slot].record(stream);
  }
  for (std::size_t slot = 0; slot < std::min<std::size_t>(piece, 2); ++slot)
    buffers->done[slot].wait();
  pool().give_back(std::move(buffers));
}

void copy_to_host(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return;
  std::unique_ptr<Buffers> buffers = pool().take();
  const std::size_t pieces = (bytes + piece_bytes - 1) / piece_bytes;
  const auto start = [&](std::size_t piece) {
    const std::size_t at = piece * piece_bytes;
    check(
        cudaMemcpyAsync(buffers->bytes[piece % 2].data(), static_cast<const std::byte*>(from) + at,
                        std::min(piece_bytes, bytes - at), cudaMemcpyDeviceToHost, stream),
        "copying from the GPU");
    buffers->done[piece % 2].record(stream);
  };
  start(0);
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    if (piece + 1 < pieces) start(piece + 1);
    buffers->done[piece % 2].wait();
    const std::size_t at = piece * piece_bytes;
    std::memcpy(static_cast<std::byte*>(to) + at, buffers->bytes[piece % 2].data(),
                std::min(piece_bytes, bytes - at));
  }
  pool().give_back(std::move(buffers));
}

}  // namespace rtindex::cuda
