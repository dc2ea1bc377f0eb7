#include "base/cuda/transfer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/cuda/device_array.hpp"
#include "base/cuda/device_pool.hpp"
#include "base/cuda/runtime.hpp"

namespace rtindex::cuda {

namespace {

constexpr std::size_t piece_bytes = std::size_t{8} << 20;

// Two pinned buffers that take turns, each with an event after its last copy.
struct Buffers {
  PinnedBytes bytes[2] = {PinnedBytes(piece_bytes), PinnedBytes(piece_bytes)};
  Event done[2];
};

// Never freed: the CUDA runtime may be unloaded before static objects are destroyed.
DevicePool<Buffers>& pool() {
  static auto* const pool = new DevicePool<Buffers>;
  return *pool;
}

}  // namespace

void copy_to_device(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return;
  auto lent = pool().take();
  Buffers* const buffers = &lent->value;
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
  pool().give_back(std::move(lent));
}

void copy_to_host(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return;
  auto lent = pool().take();
  Buffers* const buffers = &lent->value;
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
  pool().give_back(std::move(lent));
}

}  // namespace rtindex::cuda
