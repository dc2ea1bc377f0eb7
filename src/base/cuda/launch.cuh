#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cuda/runtime.hpp"

namespace rtindex::cuda {

inline constexpr int block_threads = 256;

// Blocks for one thread per item.
[[nodiscard]] inline unsigned blocks_for(std::size_t items) {
  return static_cast<unsigned>((items + block_threads - 1) / block_threads);
}

// Blocks for a grid-stride loop over items: at most as many as run at once.
[[nodiscard]] inline unsigned loop_blocks(std::size_t items) {
  const std::size_t blocks = (items + block_threads - 1) / block_threads;
  constexpr std::size_t max_blocks = 4096;
  return static_cast<unsigned>(blocks < max_blocks ? (blocks == 0 ? 1 : blocks) : max_blocks);
}

[[nodiscard]] __device__ inline std::size_t thread_number() {
  return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
}

[[nodiscard]] __device__ inline std::size_t thread_count() {
  return std::size_t{gridDim.x} * blockDim.x;
}

}  // namespace rtindex::cuda
