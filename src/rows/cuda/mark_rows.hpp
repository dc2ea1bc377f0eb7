#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/cuda/pooled_stream.hpp"
#include "rows/check_rows.hpp"
#include "rows/cuda/device_row_bitmap.hpp"

namespace rtindex::cuda {

// The limits of mark_few_rows().
inline constexpr std::size_t max_few_rows = 4096;
inline constexpr std::size_t max_marked_bitmaps = 4;

// What the rows of a change are checked against.
struct RowChecks {
  std::size_t row_count;
  RowBits erased;
  RowBits nulls;
};

// Checks the rows of a small change, which are in device memory, and adds them to bitmaps, by one
// kernel on the stream. Blocks until it is done. None where a row does not exist, is erased or is
// listed twice.
[[nodiscard]] std::optional<MarkedRows> mark_few_rows(
    std::span<const std::uint32_t> rows, const RowChecks& checks,
    std::span<const RowBitmapPtr> bitmaps, const std::shared_ptr<const PooledStream>& stream,
    const std::shared_ptr<DeviceMemory>& memory);

}  // namespace rtindex::cuda
