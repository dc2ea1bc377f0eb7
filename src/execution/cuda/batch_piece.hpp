#pragma once

#include <algorithm>
#include <cstddef>

#include "base/cuda/device_array.hpp"
#include "execution/cuda/batch_runner.hpp"

namespace rtindex::cuda {

// Lookups that move at once when they come from the host: a multiple of the chunks that rows are
// collected in.
inline constexpr std::size_t piece_lookups = std::size_t{1} << 20;
inline constexpr std::size_t large_piece_lookups = 4 * piece_lookups;

// Device memory that a piece of a batch needs until its kernels are done.
struct BatchRunner::Piece {
  DeviceBytes lower, upper, validity, intervals, places;
};

inline void reserve(PinnedBytes& pinned, std::size_t bytes) {
  if (pinned.size() < bytes) pinned = PinnedBytes(std::max(bytes, 2 * pinned.size()));
}

}  // namespace rtindex::cuda
