#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include <rtindex/column.hpp>

#include "support/cuda/device_copy.hpp"

namespace rtindex::test {

inline constexpr MemorySpace memory_spaces[] = {MemorySpace::host, MemorySpace::device};

// Memory for the answers of a call, in either memory space. Every byte of it is 0xa5 at first.
class Buffer {
 public:
  Buffer(MemorySpace space, std::size_t bytes) {
    if (space == MemorySpace::device)
      on_gpu_.emplace(bytes);
    else
      on_host_.assign(bytes, 0xa5);
  }

  template <class T>
  [[nodiscard]] T* as() {
    return on_gpu_ ? on_gpu_->as<T>() : reinterpret_cast<T*>(on_host_.data());
  }
  template <class T>
  [[nodiscard]] std::vector<T> read() const {
    if (on_gpu_) return on_gpu_->read<T>();
    std::vector<T> elements(on_host_.size() / sizeof(T));
    if (!elements.empty())
      std::memcpy(elements.data(), on_host_.data(), elements.size() * sizeof(T));
    return elements;
  }

 private:
  std::vector<std::uint8_t> on_host_;
  std::optional<OnGpu> on_gpu_;
};

// What an element holds that no call has written.
template <class T>
[[nodiscard]] T unwritten() {
  T element;
  std::memset(&element, 0xa5, sizeof(element));
  return element;
}

// A column of the host in either memory space. The column must outlive it.
class PlacedColumn {
 public:
  PlacedColumn(MemorySpace space, const ColumnView& column) : view_(column) {
    if (space == MemorySpace::device && column.has_value()) view_ = on_gpu_.emplace(column).view();
  }
  [[nodiscard]] const ColumnView& view() const { return view_; }

 private:
  std::optional<ColumnOnGpu> on_gpu_;
  ColumnView view_;
};

}  // namespace rtindex::test
