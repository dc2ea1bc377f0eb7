#pragma once

#include <atomic>
#include <cstddef>

#include "tracers/embree/api.hpp"

namespace rtindex {

// An Embree device that knows how much memory Embree holds, and turns its errors into Error.
class EmbreeDevice {
 public:
  explicit EmbreeDevice(int threads);
  ~EmbreeDevice();
  EmbreeDevice(const EmbreeDevice&) = delete;
  EmbreeDevice& operator=(const EmbreeDevice&) = delete;

  [[nodiscard]] RTCDevice get() const { return device_; }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(bytes_.load()); }
  [[nodiscard]] std::size_t peak_bytes() const { return static_cast<std::size_t>(peak_.load()); }
  // Throws if Embree reported an error since the last check.
  void check(const char* doing) const;

 private:
  static bool count_memory(void* self, std::ptrdiff_t bytes, bool post);

  RTCDevice device_;
  std::atomic<std::ptrdiff_t> bytes_{0};
  std::atomic<std::ptrdiff_t> peak_{0};
};

// "Embree 3.13.5".
[[nodiscard]] const char* embree_version();

}  // namespace rtindex
