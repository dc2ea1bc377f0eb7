#pragma once

#include <cstddef>
#include <cstdint>

namespace rtindex::cuda {

// Every 32 neighbouring threads write four bytes of the bitmap; all of them call it.
__device__ inline void write_matched(std::uint8_t* bitmap, std::size_t i, std::size_t count,
                                     bool matched) {
  const unsigned bits = __ballot_sync(~0U, matched && i < count);
  if (threadIdx.x % 8 == 0 && i < count)
    bitmap[i / 8] = static_cast<std::uint8_t>(bits >> (threadIdx.x % 32));
}

}  // namespace rtindex::cuda
