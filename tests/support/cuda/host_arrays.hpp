#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <rtindex/column.hpp>

#include "support/cuda/device_copy.hpp"

namespace rtindex::test {

// What a GPU can do with an array in host memory.
enum class HostMemory {
  pageable,
  pinned,
  registered,
  half_registered,  // the first half
  with_a_hole,      // registered at both ends
  managed,
};

inline constexpr HostMemory host_memories[] = {HostMemory::pageable,    HostMemory::pinned,
                                               HostMemory::registered,  HostMemory::half_registered,
                                               HostMemory::with_a_hole, HostMemory::managed};

inline std::string name_of(HostMemory memory) {
  switch (memory) {
    case HostMemory::pageable: return "pageable";
    case HostMemory::pinned: return "pinned";
    case HostMemory::registered: return "registered";
    case HostMemory::half_registered: return "half_registered";
    case HostMemory::with_a_hole: return "with_a_hole";
    case HostMemory::managed: return "managed";
  }
  return "unknown";
}

// Bytes of the host, which begin within an allocation and not at its page.
class HostBytes {
 public:
  HostBytes(HostMemory memory, std::size_t bytes) {
    const std::size_t all = (skipped + bytes + page - 1) / page * page;
    if (memory == HostMemory::pinned) {
      void* made = nullptr;
      require(cudaHostAlloc(&made, all, cudaHostAllocDefault));
      memory_.reset(made, [](void* pointer) { static_cast<void>(cudaFreeHost(pointer)); });
    } else if (memory == HostMemory::managed) {
      void* made = nullptr;
      require(cudaMallocManaged(&made, all));
      memory_.reset(made, [](void* pointer) { static_cast<void>(cudaFree(pointer)); });
    } else {
      memory_.reset(std::aligned_alloc(page, all), std::free);
      if (memory_ == nullptr) throw std::bad_alloc();
    }
    const std::size_t half = all / 2 / page * page;
    const std::size_t third = all / 3 / page * page;
    if (memory == HostMemory::registered) pin(0, all);
    if (memory == HostMemory::half_registered && half != 0) pin(0, half);
    if (memory == HostMemory::with_a_hole && third != 0) {
      pin(0, third);
      pin(all - third, third);
    }
    std::memset(memory_.get(), 0xa5, all);
  }
  ~HostBytes() {
    for (void* begin : pinned_) static_cast<void>(cudaHostUnregister(begin));
  }
  HostBytes(const HostBytes&) = delete;
  HostBytes& operator=(const HostBytes&) = delete;

  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(memory_.get()) + skipped; }

 private:
  static constexpr std::size_t page = 4096;
  static constexpr std::size_t skipped = 24;

  void pin(std::size_t from, std::size_t bytes) {
    void* const begin = static_cast<std::byte*>(memory_.get()) + from;
    require(cudaHostRegister(begin, bytes, cudaHostRegisterDefault));
    pinned_.push_back(begin);
  }

  std::shared_ptr<void> memory_;
  std::vector<void*> pinned_;
};

// An array in such memory.
template <class T>
class HostArray {
 public:
  HostArray(HostMemory memory, std::size_t size) : size_(size), bytes_(memory, size * sizeof(T)) {}

  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(bytes_.data()); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T& operator[](std::size_t i) const { return data()[i]; }
  [[nodiscard]] ColumnView view(Type type) const { return ColumnView::of(type, data(), size_); }

 private:
  std::size_t size_;
  HostBytes bytes_;
};

}  // namespace rtindex::test
