#pragma once

#include <cstddef>
#include <cstdint>

#include "base/macros.hpp"

namespace rtindex {

// A set of rows, a bit each, that somebody else holds; kernels take it by value.
struct RowBits {
  static constexpr std::uint32_t word_bits = 32;

  const std::uint32_t* words = nullptr;  // null: the empty set
  std::size_t rows = 0;                  // none from here on is in the set
  std::uint64_t id = 0;                  // no other set has it; 0: nothing is derived from this one

  [[nodiscard]] RTINDEX_HD constexpr bool empty() const { return words == nullptr; }
  [[nodiscard]] RTINDEX_HD constexpr bool has(std::uint32_t row) const {
    return row < rows && (words[row / word_bits] >> (row % word_bits) & 1) != 0;
  }
  // The word that has(row) reads; where it reads none, the first.
  [[nodiscard]] constexpr const std::uint32_t* address(std::uint32_t row) const {
    return words + (row < rows ? row / word_bits : 0);
  }
  [[nodiscard]] static constexpr std::size_t words_of(std::size_t rows) {
    return (rows + word_bits - 1) / word_bits;
  }
};

}  // namespace rtindex
