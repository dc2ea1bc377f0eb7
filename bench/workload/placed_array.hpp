#pragma once

#include <cassert>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include <rtindex/column.hpp>

#include "workload/place.hpp"

namespace rtindex::bench {

// Elements in the memory of a place. Moves; copies are asked for by name, because they are large.
template <class T>
class PlacedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PlacedArray() = default;
  PlacedArray(Place& place, std::size_t size)
      : place_(&place), memory_(place.take(size * sizeof(T))), size_(size) {}
  PlacedArray(PlacedArray&&) noexcept = default;
  PlacedArray& operator=(PlacedArray&&) noexcept = default;

  [[nodiscard]] PlacedArray copy() const {
    if (!place_) return {};
    PlacedArray other(*place_, size_);
    place_->copy(other.data(), data(), size_ * sizeof(T));
    return other;
  }
  [[nodiscard]] std::vector<T> fetched() const {
    std::vector<T> elements(size_);
    if (place_) place_->fetch(elements.data(), data(), size_ * sizeof(T));
    return elements;
  }

  [[nodiscard]] T* data() const { return static_cast<T*>(memory_.get()); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] Place& place() const { return *place_; }
  [[nodiscard]] std::span<const T> span() const { return {data(), size_}; }

  // In host memory only.
  [[nodiscard]] T& operator[](std::size_t at) const {
    assert(place_->memory() == rtindex::MemorySpace::host);
    return data()[at];
  }

 private:
  Place* place_ = nullptr;
  std::shared_ptr<void> memory_;
  std::size_t size_ = 0;
};

// As indexes take it.
template <class T>
[[nodiscard]] ColumnView view_of(const PlacedArray<T>& array) {
  const ColumnView view(array.span());
  return array.place().memory() == rtindex::MemorySpace::device ? view.on_device() : view;
}

}  // namespace rtindex::bench
