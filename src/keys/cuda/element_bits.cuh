#pragma once

#include "keys/cuda/device_keys.hpp"

namespace rtindex::cuda {

[[nodiscard]] __device__ inline bool is_valid(const DeviceElements& column, std::size_t i) {
  if (column.validity == nullptr) return true;
  const std::size_t bit = i + column.validity_offset;
  return (column.validity[bit / 8] >> (bit % 8) & 1) != 0;
}

// The ordered_bits() of an element.
[[nodiscard]] __device__ inline std::uint64_t bits_of(const DeviceElements& column, std::size_t i) {
  if (column.type.kind == ElementType::Kind::real)
    return round_real(column.data, i, column.type, column.type, true).bits;
  return clamp_integer(load_integer(column.data, i, column.type), column.type).bits;
}

}  // namespace rtindex::cuda
