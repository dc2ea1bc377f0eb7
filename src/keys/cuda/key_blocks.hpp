#pragma once

#include <cstddef>
#include <cstdint>

#include "base/macros.hpp"

namespace rtindex::cuda {

// The layout of keys of 8 bytes with their rowIDs: five to a block of 64 bytes, keys first. A GPU
// reads 64 bytes at once, so that a search that reads a block gets the rowID for the price of the
// key. It takes 12.8 bytes a key instead of 12.
struct KeyBlocks {
  static constexpr std::size_t keys = 5;
  static constexpr std::size_t words = 8;  // of 8 bytes

  // Words of memory for so many keys.
  [[nodiscard]] static constexpr std::size_t words_for(std::size_t count) {
    return (count + keys - 1) / keys * words;
  }
  // The word that holds a key.
  [[nodiscard]] RTINDEX_HD static constexpr std::size_t key_at(std::uint32_t position) {
    const std::uint32_t block = position / keys;
    return std::size_t{block} * words + (position - block * keys);
  }
  // The position of its rowID, in units of 4 bytes.
  [[nodiscard]] RTINDEX_HD static constexpr std::size_t row_at(std::uint32_t position) {
    const std::uint32_t block = position / keys;
    return std::size_t{block} * (2 * words) + 2 * keys + (position - block * keys);
  }
};

}  // namespace rtindex::cuda
