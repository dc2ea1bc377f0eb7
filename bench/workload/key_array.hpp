#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rtindex/column.hpp>

namespace rtindex::bench {

// An array of 32-bit or 64-bit keys, chosen at run time because key size is an axis of experiments.
class KeyArray {
 public:
  KeyArray() = default;
  KeyArray(int bits, std::size_t size) : bits_(bits) {
    assert(bits == 32 || bits == 64);
    if (bits == 32)
      narrow_.resize(size);
    else
      wide_.resize(size);
  }

  [[nodiscard]] int bits() const { return bits_; }
  [[nodiscard]] std::size_t size() const { return bits_ == 32 ? narrow_.size() : wide_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }

  [[nodiscard]] std::uint64_t operator[](std::size_t place) const {
    return bits_ == 32 ? narrow_[place] : wide_[place];
  }
  void set(std::size_t place, std::uint64_t key) {
    assert(bits_ == 64 || key >> 32 == 0);
    if (bits_ == 32)
      narrow_[place] = static_cast<std::uint32_t>(key);
    else
      wide_[place] = key;
  }

  [[nodiscard]] ColumnView view() const {
    return bits_ == 32 ? ColumnView(narrow_) : ColumnView(wide_);
  }
  // Calls work with the vector of keys, whichever it is.
  template <class Work>
  decltype(auto) visit(Work&& work) {
    return bits_ == 32 ? work(narrow_) : work(wide_);
  }

 private:
  int bits_ = 64;
  std::vector<std::uint32_t> narrow_;
  std::vector<std::uint64_t> wide_;
};

}  // namespace rtindex::bench
