#pragma once

#include <cstddef>
#include <cstdint>

#include "base/macros.hpp"

namespace rtindex {

// A view of a row bitmap; passed to kernels by value.
struct RowBits {
  static constexpr std::uint32_t word_bits = 32;

  const std::uint32_t* words = nullptr;  // null: no row is set
  std::size_t rows = 0;                  // no row from here on is set
  std::uint64_t id = 0;                  // unique; 0: nothing may be cached for this bitmap

  [[nodiscard]] RTINDEX_HD constexpr bool empty() const { return words == nullptr; }
  [[nodiscard]] RTINDEX_HD constexpr bool has(std::uint32_t row) const {
    return row < rows && (words[row / word_bits] >> (row % word_bits) & 1) != 0;
  }
  // The word that has(row) reads, to be prefetched; the first one if it reads none.
  [[nodiscard]] constexpr const std::uint32_t* address(std::uint32_t row) const {
    return words + (row < rows ? row / word_bits : 0);
  }
  [[nodiscard]] static constexpr std::size_t words_of(std::size_t rows) {
    return (rows + word_bits - 1) / word_bits;
  }
};

}  // namespace rtindex
