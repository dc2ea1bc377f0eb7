#pragma once

#include <cassert>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace rtindex {

// Uninitialised memory for large arrays, in huge pages where the system grants them; or a read-only
// view of memory with another owner, such as a mapped file. An allocation that fails throws an
// Error with the requested size.
class RawMemory {
 public:
  RawMemory() = default;
  explicit RawMemory(std::size_t bytes);
  // Views memory that lives as long as `owner`.
  RawMemory(std::shared_ptr<const void> owner, const void* data, std::size_t bytes)
      : data_(const_cast<void*>(data)), bytes_(bytes), owner_(std::move(owner)) {}
  RawMemory(RawMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        mapped_(std::exchange(other.mapped_, 0)),
        owner_(std::move(other.owner_)) {}
  RawMemory& operator=(RawMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(mapped_, other.mapped_);
    std::swap(owner_, other.owner_);
    return *this;
  }
  ~RawMemory();

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] bool is_view() const { return owner_ != nullptr; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t mapped_ = 0;             // bytes from mmap; 0: from the heap
  std::shared_ptr<const void> owner_;  // of what is viewed
};

// A fixed-size array of trivial elements in RawMemory. One that views memory is never written to.
template <class T>
requires std::is_trivially_copyable_v<T>
class Array {
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

 public:
  Array() = default;
  explicit Array(std::size_t size) : memory_(bytes_of(size)), size_(size) {}
  // Views `size` elements that live as long as `owner`.
  Array(std::shared_ptr<const void> owner, const void* data, std::size_t size)
      : memory_(std::move(owner), data, size * sizeof(T)), size_(size) {}
  Array(Array&& other) noexcept
      : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  Array& operator=(Array&& other) noexcept {
    memory_ = std::move(other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }

  [[nodiscard]] T* data() {
    assert(!memory_.is_view());
    return static_cast<T*>(memory_.data());
  }
  [[nodiscard]] const T* data() const { return static_cast<const T*>(memory_.data()); }
  // Whether the elements have another owner, such as a mapped file.
  [[nodiscard]] bool is_view() const { return memory_.is_view(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }
  [[nodiscard]] T& operator[](std::size_t i) {
    assert(i < size_);
    return data()[i];
  }
  [[nodiscard]] const T& operator[](std::size_t i) const {
    assert(i < size_);
    return data()[i];
  }
  [[nodiscard]] std::span<T> span() { return {data(), size_}; }
  [[nodiscard]] std::span<const T> span() const { return {data(), size_}; }
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] T* end() { return data() + size_; }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size_; }

 private:
  // Saturates, so that an overflow fails as an allocation.
  [[nodiscard]] static constexpr std::size_t bytes_of(std::size_t size) {
    constexpr std::size_t max_bytes = std::numeric_limits<std::size_t>::max();
    return size > max_bytes / sizeof(T) ? max_bytes : size * sizeof(T);
  }

  RawMemory memory_;
  std::size_t size_ = 0;
};

}  // namespace rtindex
