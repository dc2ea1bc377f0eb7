#include "base/cuda/host_copies.hpp"

#include <span>

#include "base/cuda/runtime.hpp"
#include "base/cuda/transfer.hpp"

namespace rtindex::cuda {

void CopiesIn::copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0 || copy_pinned(to, from, from, bytes, stream)) return;
  copy_filled(to, bytes, stream, [&](std::byte* buffer, std::size_t at, std::size_t size) {
    parallel_copy(buffer, static_cast<const std::byte*>(from) + at, size);
  });
}

void CopiesIn::copy_filled(void* to, std::size_t bytes, cudaStream_t stream, const Fill& fill) {
  for (std::size_t at = 0; at < bytes;) {
    const std::span<std::byte> room = staging_.room(bytes - at);
    if (room.empty()) {
      check(cudaStreamSynchronize(stream), "copying to the GPU");
      staging_.clear();
      continue;
    }
    fill(room.data(), at, room.size());
    check(cudaMemcpyAsync(static_cast<std::byte*>(to) + at, room.data(), room.size(),
                          cudaMemcpyHostToDevice, stream),
          "copying to the GPU");
    at += room.size();
  }
}

void CopiesOut::copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0 || copy_pinned(to, from, to, bytes, stream)) return;
  for (std::size_t at = 0; at < bytes;) {
    const std::span<std::byte> room = staging_.room(bytes - at);
    if (room.empty()) {
      check(cudaStreamSynchronize(stream), "copying from the GPU");
      finish();
      continue;
    }
    check(cudaMemcpyAsync(room.data(), static_cast<const std::byte*>(from) + at, room.size(),
                          cudaMemcpyDeviceToHost, stream),
          "copying from the GPU");
    waiting_.push_back({static_cast<std::byte*>(to) + at, room.data(), room.size()});
    at += room.size();
  }
}

void CopiesOut::finish() {
  for (const Waiting& waiting : waiting_) parallel_copy(waiting.to, waiting.from, waiting.bytes);
  waiting_.clear();
  staging_.clear();
}

void CopiesOut::release() noexcept {
  waiting_.clear();
  staging_.release();
}

}  // namespace rtindex::cuda
