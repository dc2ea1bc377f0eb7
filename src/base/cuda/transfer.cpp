#include "base/cuda/transfer.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "base/cuda/device_pool.hpp"
#include "base/cuda/runtime.hpp"
#include "base/cuda/staging.hpp"
#include "base/parallel.hpp"

namespace rtindex::cuda {

namespace {

constexpr std::size_t max_turns = 3;

struct TurnEvents {
  Event done[max_turns];
};

// Never freed: the CUDA runtime may be unloaded before static objects are destroyed.
DevicePool<TurnEvents>& event_pool() {
  static auto* const pool = new DevicePool<TurnEvents>;
  return *pool;
}

// Pinned buffers of one copy that take turns, each with an event after its last use.
class Turns {
 public:
  Turns(std::size_t bytes, cudaStream_t stream)
      : staging_(max_turns), stream_(stream), events_(event_pool().acquire()) {
    for (std::size_t total = 0; count_ < max_turns && total < bytes; ++count_) {
      buffers_[count_] = staging_.room(std::min(bytes - total, Staging::block_bytes));
      if (buffers_[count_].empty()) break;
      total += buffers_[count_].size();
    }
  }
  // A copy that failed may still use the buffers.
  ~Turns() {
    if (in_flight_ != 0) static_cast<void>(cudaStreamSynchronize(stream_));
    event_pool().release(std::move(events_));
  }
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  // The buffer whose turn it is.
  [[nodiscard]] std::span<std::byte> next() const { return buffers_[next_]; }
  [[nodiscard]] bool has_free() const { return in_flight_ < count_; }
  // Queues a copy from or to the next buffer.
  void queue(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    ++in_flight_;
    check(cudaMemcpyAsync(to, from, bytes, kind, stream_),
          kind == cudaMemcpyHostToDevice ? "copying to the GPU" : "copying from the GPU");
    events_->value.done[next_].record(stream_);
    next_ = (next_ + 1) % count_;
  }
  // Blocks until the oldest copy in flight is done. Returns its buffer.
  [[nodiscard]] std::span<std::byte> wait() {
    const std::size_t oldest = (next_ + count_ - in_flight_) % count_;
    events_->value.done[oldest].wait();
    --in_flight_;
    return buffers_[oldest];
  }
  void wait_for_all() {
    while (in_flight_ != 0) static_cast<void>(wait());
  }

 private:
  Staging staging_;
  cudaStream_t stream_;
  std::unique_ptr<DevicePool<TurnEvents>::Object> events_;
  std::span<std::byte> buffers_[max_turns];
  std::size_t count_ = 0;
  std::size_t next_ = 0;
  std::size_t in_flight_ = 0;
};

[[nodiscard]] cudaMemoryType type_of(const void* memory) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, memory), "querying a pointer");
  return attributes.type;
}

}  // namespace

bool is_pinned(const void* memory, std::size_t bytes) {
  const cudaMemoryType type = type_of(memory);
  if (type != cudaMemoryTypeHost && type != cudaMemoryTypeManaged) return false;
  return type_of(static_cast<const std::byte*>(memory) + bytes - 1) == type;
}

bool copy_pinned(void* to, const void* from, const void* host, std::size_t bytes,
                 cudaStream_t stream) {
  constexpr std::size_t little = std::size_t{64} << 10;
  if (bytes <= little || !is_pinned(host, bytes)) return false;
  const cudaError_t status = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
  if (status != cudaErrorInvalidValue) {
    check(status, "copying between host and GPU");
    return true;
  }
  // Both ends are pinned, but not all between them: CUDA rejects the copy.
  static_cast<void>(cudaGetLastError());
  return false;
}

void parallel_copy(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t grain = std::size_t{256} << 10;
  parallel_for(bytes, grain, [&](std::size_t first, std::size_t count) {
    std::memcpy(static_cast<std::byte*>(to) + first, static_cast<const std::byte*>(from) + first,
                count);
  });
}

void copy_to_device(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return;
  if (copy_pinned(to, from, from, bytes, stream))
    return check(cudaStreamSynchronize(stream), "copying to the GPU");
  Turns buffers(bytes, stream);
  for (std::size_t at = 0; at < bytes;) {
    if (!buffers.has_free()) static_cast<void>(buffers.wait());
    const std::span<std::byte> buffer = buffers.next();
    const std::size_t size = std::min(buffer.size(), bytes - at);
    parallel_copy(buffer.data(), static_cast<const std::byte*>(from) + at, size);
    buffers.queue(static_cast<std::byte*>(to) + at, buffer.data(), size, cudaMemcpyHostToDevice);
    at += size;
  }
  buffers.wait_for_all();
}

void copy_to_host(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return;
  if (copy_pinned(to, from, to, bytes, stream))
    return check(cudaStreamSynchronize(stream), "copying from the GPU");
  read_pieces(from, bytes, stream, [&](const std::byte* data, std::size_t at, std::size_t size) {
    parallel_copy(static_cast<std::byte*>(to) + at, data, size);
  });
}

void read_pieces(const void* from, std::size_t bytes, cudaStream_t stream,
                 const PieceCallback& callback) {
  if (bytes == 0) return;
  Turns buffers(bytes, stream);
  std::size_t queued = 0;
  for (std::size_t copied = 0; copied < bytes;) {
    while (buffers.has_free() && queued < bytes) {
      const std::span<std::byte> buffer = buffers.next();
      const std::size_t size = std::min(buffer.size(), bytes - queued);
      buffers.queue(buffer.data(), static_cast<const std::byte*>(from) + queued, size,
                    cudaMemcpyDeviceToHost);
      queued += size;
    }
    const std::span<std::byte> done = buffers.wait();
    const std::size_t size = std::min(done.size(), bytes - copied);
    callback(done.data(), copied, size);
    copied += size;
  }
}

}  // namespace rtindex::cuda
