#pragma once

#include <cstddef>
#include <cstdint>

#include <rtindex/answer.hpp>

#include "order/cuda/device_order.hpp"

namespace rtindex::cuda {

// Writes sorted keys with their rows as Layout::pairs has them, each by itself.
struct PairWriter {
  std::uint64_t* words;
  bool is_wide;  // in KeyBlocks

  // The memory for so many keys and the padding.
  [[nodiscard]] static std::size_t words_for(std::size_t size, bool is_wide) {
    return is_wide ? KeyBlocks::words_for(size + DeviceOrder::padding)
                   : size + DeviceOrder::padding;
  }

  __device__ void write(std::uint32_t position, std::uint64_t key, std::uint32_t row) const {
    if (!is_wide) {
      words[position] = key << 32 | row;
      return;
    }
    words[KeyBlocks::key_at(position)] = key;
    std::uint32_t* const at = reinterpret_cast<std::uint32_t*>(words) + KeyBlocks::row_at(position);
    *at = row;
    // Behind the rows of a block half a word is unused.
    if (position % KeyBlocks::keys == KeyBlocks::keys - 1) at[1] = miss_row;
  }
  // Writes the padding; called by all threads of a block.
  __device__ void pad(std::uint32_t size) const {
    constexpr auto keys = static_cast<std::uint32_t>(KeyBlocks::keys);
    std::uint32_t end = size + static_cast<std::uint32_t>(DeviceOrder::padding);
    if (is_wide) end = (end + keys - 1) / keys * keys;
    for (std::uint32_t i = size + threadIdx.x; i < end; i += blockDim.x)
      write(i, ~std::uint64_t{0}, miss_row);
  }

  // What was written; not for arrays that are only read.
  [[nodiscard]] __device__ std::uint64_t key(std::uint32_t position) const {
    return is_wide ? words[KeyBlocks::key_at(position)] : words[position] >> 32;
  }
  [[nodiscard]] __device__ std::uint32_t row(std::uint32_t position) const {
    const auto* const rows = reinterpret_cast<const std::uint32_t*>(words);
    return rows[is_wide ? KeyBlocks::row_at(position) : std::size_t{position} * 2];
  }
};

}  // namespace rtindex::cuda
