#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "base/cuda/device_array.hpp"
#include "keys/cuda/device_keys.hpp"
#include "kinds/scene/interval_boxes.hpp"

namespace rtindex::optix {

// The boxes of intervals, those of an interval side by side.
struct IntervalBoxes {
  bool wide = false;                           // keys of 8 bytes
  cuda::DeviceArray<std::uint32_t> intervals;  // the interval of each box
  cuda::DeviceBytes keys;                      // a KeyInterval<Key> for each box

  [[nodiscard]] std::size_t size() const { return intervals.size(); }
};

// Splits intervals into boxes; fails where there are too many of these. Blocks until they are
// counted.
[[nodiscard]] IntervalBoxes split_into_boxes(const Coordinates& coordinates,
                                             const cuda::DeviceColumn& starts,
                                             const cuda::DeviceColumn& ends,
                                             const cuda::Queue& queue);

// Writes boxes [first, first + count) as Boxes.
void write_boxes(const Coordinates& coordinates, const IntervalBoxes& boxes, std::size_t first,
                 std::size_t count, void* to, cudaStream_t stream);

}  // namespace rtindex::optix
