#pragma once

#include <cstdint>

#include "answers/cuda/run.hpp"
#include "order/cuda/device_order.hpp"

namespace rtindex::cuda {

// A DeviceOrder without keys and rowIDs, as kernels read it.
struct SequenceView {
  std::uint32_t first_key;
  std::uint32_t first_row;
  std::uint32_t size;

  explicit SequenceView(const DeviceOrder& order)
      : first_key(order.first_key()),
        first_row(order.first_row()),
        size(static_cast<std::uint32_t>(order.size())) {}

  [[nodiscard]] __device__ std::uint32_t key(std::uint32_t position) const {
    return first_key + position;
  }
  [[nodiscard]] __device__ std::uint32_t row(std::uint32_t position) const {
    return first_row + position;
  }
};

// A Finder (locate.cuh) over a sequence of keys.
struct SequenceFinder {
  using Key = std::uint32_t;
  static constexpr int lanes = 1;

  SequenceView order;

  [[nodiscard]] __device__ std::uint32_t row(Key key) const {
    const std::uint32_t at = key - order.first_key;  // too large for a key before the first
    return at < order.size ? order.row(at) : miss_row;
  }
  [[nodiscard]] __device__ Run equal(Key key) const {
    const std::uint32_t at = key - order.first_key;
    return at < order.size ? Run{at, at + 1} : Run{0, 0};
  }
  [[nodiscard]] __device__ Run only(Key key) const { return equal(key); }
  [[nodiscard]] __device__ std::uint32_t lower_bound(Key key) const {
    return key < order.first_key ? 0 : min(key - order.first_key, order.size);
  }
};

}  // namespace rtindex::cuda
