#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rtindex/column.hpp>

#include "workload/placed_array.hpp"

namespace rtindex::bench {

// An array of 32-bit or 64-bit keys, chosen at run time because key size is an axis of experiments.
class KeyArray {
 public:
  KeyArray() = default;
  KeyArray(Place& place, int bits, std::size_t size)
      : KeyArray(bits, size, PlacedArray<std::byte>(place, size * (bits == 32 ? 4U : 8U))) {}

  [[nodiscard]] KeyArray copy() const { return {bits_, size_, memory_.copy()}; }

  [[nodiscard]] int bits() const { return bits_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] Place& place() const { return memory_.place(); }
  [[nodiscard]] KeyData data() const { return {memory_.data(), bits_}; }

  // As indexes take it.
  [[nodiscard]] ColumnView view() const { return slice(0, size_); }
  [[nodiscard]] ColumnView slice(std::size_t first, std::size_t count) const {
    const ColumnView view =
        ColumnView::of(bits_ == 32 ? Type::u32 : Type::u64, data().from(first).data, count);
    return place().memory() == rtindex::MemorySpace::device ? view.on_device() : view;
  }

  [[nodiscard]] std::vector<std::uint64_t> fetched() const {
    std::vector<std::byte> bytes = memory_.fetched();
    const KeyData keys{bytes.data(), bits_};
    std::vector<std::uint64_t> fetched(size_);
    for (std::size_t i = 0; i < size_; ++i) fetched[i] = keys[i];
    return fetched;
  }

  // In host memory only.
  [[nodiscard]] std::uint64_t operator[](std::size_t at) const {
    assert(place().memory() == rtindex::MemorySpace::host);
    return data()[at];
  }
  void set(std::size_t at, std::uint64_t key) const {
    assert(place().memory() == rtindex::MemorySpace::host && (bits_ == 64 || key >> 32 == 0));
    data().set(at, key);
  }

 private:
  KeyArray(int bits, std::size_t size, PlacedArray<std::byte> memory)
      : bits_(bits), size_(size), memory_(std::move(memory)) {
    assert(bits == 32 || bits == 64);
  }

  int bits_ = 64;
  std::size_t size_ = 0;
  PlacedArray<std::byte> memory_;
};

}  // namespace rtindex::bench
