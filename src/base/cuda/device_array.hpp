#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include <rtindex/device.hpp>

#include "base/cuda/queue.hpp"
#include "base/cuda/runtime.hpp"

namespace rtindex::cuda {

// The allocator of a build: the one passed, else a pool of cudaMallocAsync.
[[nodiscard]] std::shared_ptr<DeviceMemory> current_memory(
    std::shared_ptr<DeviceMemory> memory = nullptr);

// Returns unused memory of the default allocator to the driver, except for a little, after work
// that allocated at most `allocated` bytes.
void trim_unused(std::size_t allocated) noexcept;
// Returns it after work of any size. Does not wait: memory counts as unused once its release is
// complete.
void trim_all_unused() noexcept;

// The peak of the device memory that this thread allocates: what a build needs.
class MemoryMeter {
 public:
  MemoryMeter();
  [[nodiscard]] std::size_t peak() const;

 private:
  std::size_t start_;
};

// Device memory, allocated and released in stream order.
class DeviceBytes {
 public:
  DeviceBytes() = default;
  // Throws an Error with the size if there is too little memory.
  DeviceBytes(const Queue& queue, std::size_t bytes);
  // For optional memory: null() if there is too little.
  [[nodiscard]] static DeviceBytes if_there_is(const Queue& queue, std::size_t bytes);
  DeviceBytes(DeviceBytes&& other) noexcept { swap(other); }
  DeviceBytes& operator=(DeviceBytes&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceBytes();

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return bytes_; }
  [[nodiscard]] bool null() const { return data_ == nullptr; }

 private:
  void hold(const Queue& queue, std::size_t bytes);
  void swap(DeviceBytes& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(stream_, other.stream_);
  }

  std::shared_ptr<DeviceMemory> memory_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  cudaStream_t stream_ = nullptr;
};

// An array of trivial elements in device memory.
template <class T>
requires std::is_trivially_copyable_v<T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(const Queue& queue, std::size_t size)
      : bytes_(queue, size * sizeof(T)), size_(size) {}
  [[nodiscard]] static DeviceArray if_there_is(const Queue& queue, std::size_t size) {
    DeviceArray array;
    array.bytes_ = DeviceBytes::if_there_is(queue, size * sizeof(T));
    array.size_ = array.bytes_.null() ? 0 : size;
    return array;
  }
  DeviceArray(DeviceArray&& other) noexcept
      : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    std::swap(size_, other.size_);
    return *this;
  }

  [[nodiscard]] T* data() const { return static_cast<T*>(bytes_.data()); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }
  [[nodiscard]] DeviceBytes release_bytes() {
    size_ = 0;
    return std::move(bytes_);
  }

 private:
  DeviceBytes bytes_;
  std::size_t size_ = 0;
};

// The two calls of a CUB algorithm: call(nullptr, bytes) sets the size of the scratch memory,
// call(memory, bytes) runs it.
template <class Call>
void with_scratch(const Queue& queue, const char* doing, Call&& call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes), doing);
  const DeviceBytes scratch(queue, bytes);
  check(call(scratch.data(), bytes), doing);
}

// Host memory that the GPU copies from and to asynchronously.
class PinnedBytes {
 public:
  PinnedBytes() = default;
  explicit PinnedBytes(std::size_t bytes);
  PinnedBytes(PinnedBytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  PinnedBytes& operator=(PinnedBytes&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~PinnedBytes();
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace rtindex::cuda
