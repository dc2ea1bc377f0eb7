#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <rtindex/bitmap.hpp>

#include "base/macros.hpp"

namespace rtindex {

// Rows [8 * byte, 8 * byte + 8) of a bitmap; those beyond the last row are 0.
[[nodiscard]] RTINDEX_HD inline std::uint8_t byte_of(const BitmapView& bitmap, std::size_t byte) {
  const std::size_t bit = bitmap.offset + 8 * byte;
  const std::size_t left = bitmap.rows - 8 * byte;
  const std::uint8_t* const at = bitmap.bits + bit / 8;
  const auto shift = static_cast<unsigned>(bit % 8);
  unsigned bits = static_cast<unsigned>(at[0]) >> shift;
  if (left + shift > 8 && shift != 0) bits |= static_cast<unsigned>(at[1]) << (8 - shift);
  if (left < 8) bits &= (1U << left) - 1;
  return static_cast<std::uint8_t>(bits);
}

// Rows [64 * word, 64 * word + 64) of a bitmap in host memory; those beyond the last row are 0.
[[nodiscard]] inline std::uint64_t word_of(const BitmapView& bitmap, std::size_t word) {
  constexpr std::size_t word_rows = 64;
  const std::size_t first = word_rows * word;
  const std::size_t left = bitmap.rows - first;
  std::uint64_t bits = 0;
  if (left < word_rows) {
    for (std::size_t i = 0; 8 * i < left; ++i)
      bits |= std::uint64_t{byte_of(bitmap, first / 8 + i)} << (8 * i);
    return bits;
  }
  const std::size_t bit = bitmap.offset + first;
  const std::uint8_t* const at = bitmap.bits + bit / 8;
  std::memcpy(&bits, at, sizeof(bits));
  const std::size_t shift = bit % 8;
  return shift == 0 ? bits : bits >> shift | std::uint64_t{at[8]} << (word_rows - shift);
}

// Rows [32 * word, 32 * word + 32) that a bitmap lacks, as bits; those beyond the last row are 0.
[[nodiscard]] RTINDEX_HD inline std::uint32_t missing_rows(const BitmapView& bitmap,
                                                           std::size_t word) {
  std::uint32_t missing = 0;
  for (std::size_t byte = 4 * word; byte < 4 * word + 4 && 8 * byte < bitmap.rows; ++byte) {
    const std::size_t left = bitmap.rows - 8 * byte;
    const std::uint32_t all = left < 8 ? (1U << left) - 1 : 0xFFU;
    missing |= (all & ~std::uint32_t{byte_of(bitmap, byte)}) << (8 * (byte % 4));
  }
  return missing;
}

// What to do with the rows of two bitmaps.
enum class BitmapOperation : std::uint8_t { both, either, first_only };

}  // namespace rtindex
