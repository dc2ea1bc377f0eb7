#pragma once

/// \file
/// Row bitmaps: which rows of an index match, and which may match.

#include <cstddef>
#include <cstdint>

#include <rtindex/device.hpp>
#include <rtindex/export.hpp>

namespace rtindex {

/// A view of a row bitmap in Arrow's layout: bit `offset + i` belongs to row i, least significant
/// bit first. The buffer of an Arrow boolean array is one.
struct BitmapView {
  const std::uint8_t* bits = nullptr;
  std::size_t rows = 0;    ///< how many rows it has a bit for
  std::size_t offset = 0;  ///< the bit of row 0
  MemorySpace memory_space = MemorySpace::host;

  /// Whether the bit of a row is set; only of bitmaps in host memory.
  [[nodiscard]] bool has(std::size_t row) const {
    const std::size_t bit = offset + row;
    return row < rows && ((bits[bit / 8] >> (bit % 8)) & 1) != 0;
  }
};

/// Bytes of a bitmap of so many rows.
[[nodiscard]] constexpr std::size_t bitmap_bytes(std::size_t rows) { return (rows + 7) / 8; }

/// Rows of both bitmaps, which have as many rows and lie in one memory space. `out` receives
/// `bitmap_bytes(rows)` bytes in that space and may be one of the two where that begins at bit 0.
/// In device memory the work is queued on `stream`.
RTINDEX_API void bitmap_and(const BitmapView& a, const BitmapView& b, std::uint8_t* out,
                            Stream stream = {});
/// Rows of either bitmap; otherwise as `bitmap_and`.
RTINDEX_API void bitmap_or(const BitmapView& a, const BitmapView& b, std::uint8_t* out,
                           Stream stream = {});
/// Rows of `a` that `b` does not have; otherwise as `bitmap_and`.
RTINDEX_API void bitmap_and_not(const BitmapView& a, const BitmapView& b, std::uint8_t* out,
                                Stream stream = {});
/// How many rows are set. In device memory the call waits for the work on `stream`.
[[nodiscard]] RTINDEX_API std::size_t bitmap_count(const BitmapView& bitmap, Stream stream = {});

}  // namespace rtindex
