#pragma once

#include <cstddef>
#include <cstdint>

#include <rtindex/bitmap.hpp>

#include "rows/bitmap_bits.hpp"

namespace rtindex::cuda {

// Bitmaps of the caller in the memory of the current GPU, of at least one row. A build without CUDA
// throws.
void combine_bitmaps(const BitmapView& a, const BitmapView& b, BitmapOperation operation,
                     std::uint8_t* out, Stream stream);
// Blocks until the rows are counted.
[[nodiscard]] std::size_t count_bitmap(const BitmapView& bitmap, Stream stream);

}  // namespace rtindex::cuda
