#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/cuda/runtime.hpp"

namespace rtindex::cuda {

// Streams, events and pinned memory that calls acquire and release, to be reused on the same GPU.
// They are kept until the process ends, because freeing pinned memory waits for the whole GPU.
template <class T>
class DevicePool {
 public:
  struct Object {
    int device = 0;
    T value{};
  };

  DevicePool() { free_.reserve(max_free); }

  // An object of the current GPU.
  [[nodiscard]] std::unique_ptr<Object> acquire() {
    int device = 0;
    check(cudaGetDevice(&device), "querying the current GPU");
    {
      const std::lock_guard lock(mutex_);
      const auto found = std::find_if(free_.rbegin(), free_.rend(),
                                      [&](const auto& free) { return free->device == device; });
      if (found != free_.rend()) {
        std::unique_ptr<Object> object = std::move(*found);
        free_.erase(std::next(found).base());
        return object;
      }
    }
    auto object = std::make_unique<Object>();
    object->device = device;
    return object;
  }

  // No work may use the object any more.
  void release(std::unique_ptr<Object> object) noexcept {
    const std::lock_guard lock(mutex_);
    if (free_.size() < max_free) free_.push_back(std::move(object));
  }

 private:
  static constexpr std::size_t max_free = 16;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Object>> free_;
};

}  // namespace rtindex::cuda
