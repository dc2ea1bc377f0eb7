#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <rtindex/column.hpp>

#include "workload/execution_space.hpp"

namespace rtindex::bench {

// An array in the memory of an execution space. Move-only; `copy` is explicit, because arrays are
// large.
template <class T>
class WorkloadArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  WorkloadArray() = default;
  WorkloadArray(ExecutionSpace& space, std::size_t size)
      : space_(&space), memory_(space.allocate(size * sizeof(T))), size_(size) {}
  WorkloadArray(WorkloadArray&&) noexcept = default;
  WorkloadArray& operator=(WorkloadArray&&) noexcept = default;

  [[nodiscard]] WorkloadArray copy() const {
    if (!space_) return {};
    WorkloadArray other(*space_, size_);
    space_->copy(other.data(), data(), size_ * sizeof(T));
    return other;
  }
  [[nodiscard]] std::vector<T> to_host() const {
    std::vector<T> elements(size_);
    if (space_) space_->copy_to_host(elements.data(), data(), size_ * sizeof(T));
    return elements;
  }

  // Some of the elements, in the same memory.
  [[nodiscard]] WorkloadArray part(std::size_t first, std::size_t count) const {
    assert(first + count <= size_);
    WorkloadArray some;
    some.space_ = space_;
    some.memory_ = std::shared_ptr<void>(memory_, data() + first);
    some.size_ = count;
    return some;
  }

  [[nodiscard]] T* data() const { return static_cast<T*>(memory_.get()); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] ExecutionSpace& space() const { return *space_; }
  [[nodiscard]] std::span<const T> span() const { return {data(), size_}; }

  // In host memory only.
  [[nodiscard]] T& operator[](std::size_t at) const {
    assert(space_->memory() == MemorySpace::host);
    return data()[at];
  }

 private:
  ExecutionSpace* space_ = nullptr;
  std::shared_ptr<void> memory_;
  std::size_t size_ = 0;
};

// A view for indexes.
template <class T>
[[nodiscard]] ColumnView view_of(const WorkloadArray<T>& array) {
  const ColumnView view(array.span());
  return array.space().memory() == MemorySpace::device ? view.on_device() : view;
}

// An array of 32-bit or 64-bit keys; a run-time choice, because key size is an axis of experiments.
class KeyArray {
 public:
  KeyArray() = default;
  KeyArray(ExecutionSpace& space, int bits, std::size_t size)
      : KeyArray(bits, size, WorkloadArray<std::byte>(space, size * (bits == 32 ? 4U : 8U))) {}

  [[nodiscard]] KeyArray copy() const { return {bits_, size_, memory_.copy()}; }
  // Some of the keys, in the same memory.
  [[nodiscard]] KeyArray part(std::size_t first, std::size_t count) const {
    const std::size_t width = data().width();
    return {bits_, count, memory_.part(first * width, count * width)};
  }

  [[nodiscard]] int bits() const { return bits_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] ExecutionSpace& space() const { return memory_.space(); }
  [[nodiscard]] KeyData data() const { return {memory_.data(), bits_}; }

  // A view for indexes.
  [[nodiscard]] ColumnView view() const { return slice(0, size_); }
  [[nodiscard]] ColumnView slice(std::size_t first, std::size_t count) const {
    const ColumnView view =
        ColumnView::of(bits_ == 32 ? Type::u32 : Type::u64, data().from(first).data, count);
    return space().memory() == MemorySpace::device ? view.on_device() : view;
  }

  [[nodiscard]] std::vector<std::uint64_t> to_host() const {
    std::vector<std::byte> bytes = memory_.to_host();
    const KeyData keys{bytes.data(), bits_};
    std::vector<std::uint64_t> fetched(size_);
    for (std::size_t i = 0; i < size_; ++i) fetched[i] = keys[i];
    return fetched;
  }

  // In host memory only.
  [[nodiscard]] std::uint64_t operator[](std::size_t at) const {
    assert(space().memory() == MemorySpace::host);
    return data()[at];
  }
  void set(std::size_t at, std::uint64_t key) const {
    assert(space().memory() == MemorySpace::host && (bits_ == 64 || key >> 32 == 0));
    data().set(at, key);
  }

 private:
  KeyArray(int bits, std::size_t size, WorkloadArray<std::byte> memory)
      : bits_(bits), size_(size), memory_(std::move(memory)) {
    assert(bits == 32 || bits == 64);
  }

  int bits_ = 64;
  std::size_t size_ = 0;
  WorkloadArray<std::byte> memory_;
};

}  // namespace rtindex::bench
