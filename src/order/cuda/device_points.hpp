#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/cuda/device_array.hpp"
#include "keys/cuda/device_keys.hpp"

namespace rtindex::cuda {

// The encoded keys of points by element; passed to kernels by value.
struct PointsView {
  static constexpr std::uint32_t max_columns = 8;

  const void* keys[max_columns] = {};
  std::uint32_t wide = 0;  // a bit for each column, 1 where its keys have 8 bytes
  std::uint32_t columns = 0;

#if defined(__CUDACC__)
  [[nodiscard]] __device__ std::uint64_t key(std::uint32_t column, std::size_t i) const {
    return (wide >> column & 1) != 0 ? static_cast<const std::uint64_t*>(keys[column])[i]
                                     : static_cast<const std::uint32_t*>(keys[column])[i];
  }
#endif
};

// The encoded keys of points on the GPU, each column in 4 or in 8 bytes a key.
struct DevicePoints {
  struct Column {
    DeviceBytes keys;
    bool is_wide = false;
  };

  std::vector<Column> columns;
  std::size_t size = 0;

  [[nodiscard]] PointsView view() const;
};

// Encodes a native column: the ordered_bits() of each element less `base`, or the key of a null.
// `largest`: no key is greater.
[[nodiscard]] DevicePoints::Column encode_points(const DeviceElements& column, std::uint64_t base,
                                                 std::uint64_t null_key, std::uint64_t largest,
                                                 const Queue& queue);

// The elements of points in an order that keeps neighbours in all columns together: that of Morton
// codes, whose bits are ranks among a sample of each column, so that skewed and correlated columns
// stay balanced.
[[nodiscard]] DeviceArray<std::uint32_t> order_of_points(const DevicePoints& points,
                                                         const Queue& queue);

}  // namespace rtindex::cuda
