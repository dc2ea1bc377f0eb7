#pragma once

#include "keys/cuda/device_keys.hpp"

namespace rtindex::cuda {

[[nodiscard]] __device__ inline bool is_valid_tuple(const DeviceTuples& tuples, std::size_t i) {
  for (std::size_t v = 0; v < tuples.validity_count; ++v) {
    const std::size_t bit = i + tuples.validity[v].offset;
    if ((tuples.validity[v].bits[bit / 8] >> (bit % 8) & 1) == 0) return false;
  }
  return true;
}

}  // namespace rtindex::cuda
