#include "base/cuda/stream_uses.hpp"

#include <algorithm>
#include <exception>
#include <mutex>

namespace rtindex::cuda {

namespace {

[[nodiscard]] bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream, &status) == cudaSuccess)
    return status != cudaStreamCaptureStatusNone;
  static_cast<void>(cudaGetLastError());
  return false;
}

[[nodiscard]] bool is_done(const Event& event) {
  if (cudaEventQuery(event.get()) == cudaSuccess) return true;
  static_cast<void>(cudaGetLastError());
  return false;
}

}  // namespace

void StreamUses::record(cudaStream_t stream) noexcept {
  if (is_capturing(stream)) return;
  unsigned long long id = 0;
  cudaError_t status = cudaStreamGetId(stream, &id);
  if (status == cudaSuccess) status = record(stream, id);
  if (status == cudaSuccess) return;
  // Without an event nothing can wait for the stream later.
  static_cast<void>(cudaStreamSynchronize(stream));
  static_cast<void>(cudaGetLastError());
}

cudaError_t StreamUses::record(cudaStream_t stream, unsigned long long id) {
  {
    // Two threads may record the event of a stream at once: the later record covers both calls.
    const std::shared_lock lock(mutex_);
    if (const Event* const event = find(id)) return cudaEventRecord(event->get(), stream);
  }
  const std::lock_guard lock(mutex_);
  if (const Event* const event = find(id)) return cudaEventRecord(event->get(), stream);
  const auto done =
      std::find_if(uses_.begin(), uses_.end(), [](const Use& use) { return is_done(use.event); });
  if (done != uses_.end()) {
    done->stream = id;
    return cudaEventRecord(done->event.get(), stream);
  }
  try {
    uses_.push_back({id, Event()});
  } catch (const std::exception&) {
    return cudaErrorMemoryAllocation;
  }
  return cudaEventRecord(uses_.back().event.get(), stream);
}

const Event* StreamUses::find(unsigned long long stream) const {
  const auto found = std::find_if(uses_.begin(), uses_.end(),
                                  [&](const Use& use) { return use.stream == stream; });
  return found == uses_.end() ? nullptr : &found->event;
}

cudaError_t StreamUses::wait() const noexcept {
  const std::shared_lock lock(mutex_);
  cudaError_t first = cudaSuccess;
  for (const Use& use : uses_) {
    const cudaError_t status = cudaEventSynchronize(use.event.get());
    if (first == cudaSuccess) first = status;
  }
  return first;
}

void StreamUses::wait_on(cudaStream_t stream) const noexcept {
  const std::shared_lock lock(mutex_);
  for (const Use& use : uses_) {
    if (cudaStreamWaitEvent(stream, use.event.get(), 0) == cudaSuccess) continue;
    static_cast<void>(cudaGetLastError());
    static_cast<void>(cudaEventSynchronize(use.event.get()));
  }
}

bool StreamUses::done() const noexcept {
  const std::shared_lock lock(mutex_);
  return std::all_of(uses_.begin(), uses_.end(), [](const Use& use) { return is_done(use.event); });
}

}  // namespace rtindex::cuda
