#pragma once

#include <cuda_runtime_api.h>

#include <new>
#include <optional>
#include <string>
#include <vector>

namespace rtindex::cuda {

// Why no GPU can be used here, in a sentence; none where one can. Asked once per process.
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

// Throws an Error that says what failed, and while doing what.
void check(cudaError_t status, const char* doing);
// The same for the launches before it.
void check_launch(const char* doing);

// Makes a device current and the one before it again at the end.
class OnDevice {
 public:
  explicit OnDevice(int device);
  // For destructors: does what it can.
  OnDevice(int device, std::nothrow_t) noexcept;
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

// A stream of our own, beside whatever the user has.
class OwnStream {
 public:
  OwnStream();
  ~OwnStream();
  OwnStream(OwnStream&& other) noexcept;
  OwnStream& operator=(OwnStream&&) = delete;
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void wait() const;

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event();
  ~Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&&) = delete;
  void record(cudaStream_t stream) const;
  // What is queued on `stream` from now on waits until the event has come.
  void hold_back(cudaStream_t stream) const;
  // Blocks until it has.
  void wait() const;

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace rtindex::cuda
