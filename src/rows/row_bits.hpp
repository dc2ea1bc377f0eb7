#pragma once

#include <cstddef>
#include <cstdint>

#include "base/macros.hpp"

namespace rtindex {

class HostRowBitmap;

// A view of a row bitmap; passed to kernels by value. Its words are one array in device memory and
// in small bitmaps, and pages in large bitmaps of the host.
struct RowBits {
  static constexpr std::uint32_t word_bits = 32;
  static constexpr std::uint32_t log2_page_words = 10;
  static constexpr std::uint32_t page_words = std::uint32_t{1} << log2_page_words;

  const std::uint32_t* words = nullptr;         // null: no row is set; of several pages the first
  std::size_t rows = 0;                         // no row from here on is set
  std::uint64_t id = 0;                         // unique; 0: nothing may be cached for this bitmap
  const std::uint32_t* const* pages = nullptr;  // on the host; null: the words are one array
  const HostRowBitmap* bitmap = nullptr;        // on the host; null: the caller owns the words
  // On the host: bits of the only rows that are not set in any case, from bit `filter_offset` on;
  // null: all rows.
  const std::uint8_t* filter = nullptr;
  std::size_t filter_offset = 0;

  [[nodiscard]] RTINDEX_HD constexpr bool empty() const {
    return words == nullptr && filter == nullptr;
  }
  [[nodiscard]] RTINDEX_HD constexpr bool has(std::uint32_t row) const {
#if !defined(__CUDA_ARCH__)
    if (filter != nullptr && !passes(row)) return true;
#endif
    return row < rows && (*word(row / word_bits) >> (row % word_bits) & 1) != 0;
  }
  // What has(row) reads first, to be prefetched; the first word if it reads none.
  [[nodiscard]] constexpr const void* address(std::uint32_t row) const {
    if (filter != nullptr) return filter + (filter_offset + row) / 8;
    return word(row < rows ? row / word_bits : 0);
  }
  [[nodiscard]] static constexpr std::size_t words_of(std::size_t rows) {
    return (rows + word_bits - 1) / word_bits;
  }

 private:
  [[nodiscard]] constexpr bool passes(std::uint32_t row) const {
    const std::size_t bit = filter_offset + row;
    return (filter[bit / 8] >> (bit % 8) & 1) != 0;
  }
  [[nodiscard]] RTINDEX_HD constexpr const std::uint32_t* word(std::uint32_t i) const {
#if !defined(__CUDA_ARCH__)
    if (pages != nullptr) return pages[i >> log2_page_words] + i % page_words;
#endif
    return words + i;
  }
};

}  // namespace rtindex
