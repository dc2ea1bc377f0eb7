#pragma once

#include <cstddef>
#include <cstdint>

namespace rtindex::cuda {

// The lookup whose rowIDs include the one at an offset.
[[nodiscard]] __device__ inline std::size_t lookup_at(const std::uint64_t* offsets,
                                                      std::size_t count, std::uint64_t offset) {
  std::size_t low = 0;
  std::size_t high = count - 1;
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    if (offsets[middle] <= offset)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

}  // namespace rtindex::cuda
