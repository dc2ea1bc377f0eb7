#pragma once

#include <cuda_runtime_api.h>

#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rtindex::cuda {

// Why no GPU can be used, in a sentence; none if one can. Checked once per process.
[[nodiscard]] const std::optional<std::string>& unusable();

struct Gpu {
  std::string name;
  int major = 0, minor = 0;
  std::size_t bytes = 0;
  int processors = 0;
};

// The GPUs of this machine; empty where unusable().
[[nodiscard]] const std::vector<Gpu>& gpus();

// "CUDA 13.0 driver" and the like, for describe() and records.
[[nodiscard]] std::string driver_text();

// Throws an Error that names the failure and the operation.
void check(cudaError_t status, const char* doing);
// Throws an Error if a kernel launch before the call failed.
void check_launch(const char* doing);

// Makes a device current, and restores the previous one on destruction.
class OnDevice {
 public:
  explicit OnDevice(int device);
  // For destructors: ignores failures.
  OnDevice(int device, std::nothrow_t) noexcept;
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

// A stream of our own, independent of the caller's streams.
class OwnStream {
 public:
  OwnStream();
  // Blocks until its work is done, so that memory released on it can be reused.
  ~OwnStream();
  OwnStream(OwnStream&& other) noexcept;
  OwnStream& operator=(OwnStream&&) = delete;
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void wait() const;
  // The stream, which the caller destroys.
  [[nodiscard]] cudaStream_t release() { return std::exchange(stream_, nullptr); }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event();
  ~Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&&) = delete;
  [[nodiscard]] cudaEvent_t get() const { return event_; }
  // Completes with the work queued on `stream` so far.
  void record(cudaStream_t stream) const;
  // Work queued on `stream` from now on waits for the event.
  void wait_on(cudaStream_t stream) const;
  // Blocks until the event has completed.
  void wait() const;

 private:
  cudaEvent_t event_ = nullptr;
};

// Work queued on `stream` from now on waits for what is queued on `other` so far.
void wait_for(cudaStream_t stream, cudaStream_t other);

}  // namespace rtindex::cuda
