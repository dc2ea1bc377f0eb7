#pragma once

#include <cstddef>
#include <optional>

#include "keys/cuda/device_keys.hpp"
#include "order/cuda/device_order.hpp"

namespace rtindex::cuda {

// The limit of sort_few_keys().
inline constexpr std::size_t max_few_keys = 4096;

// The keys of a small change, encoded and in key order.
struct FewKeys {
  DeviceOrder order;                 // Layout::pairs, with its statistics; without nulls
  DeviceExtent extent;               // the smallest is encoded as 0
  std::optional<std::size_t> unfit;  // the first key that the column's type cannot hold
};

// Encodes and sorts the keys of a small change to a native column by one block of threads. Keys may
// have another type than the column. Blocks until it is done.
[[nodiscard]] FewKeys sort_few_keys(const DeviceElements& keys, ElementType column, bool converts,
                                    RowIds ids, std::size_t row_count, const Queue& queue);

}  // namespace rtindex::cuda
