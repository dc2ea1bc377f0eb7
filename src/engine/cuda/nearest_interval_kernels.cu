#include "engine/cuda/nearest_interval_kernels.hpp"

#include "base/cuda/launch.cuh"
#include "keys/cuda/element_bits.cuh"
#include "keys/distance.hpp"

namespace rtindex::cuda {

namespace {

constexpr unsigned byte_bits = 8;

[[nodiscard]] std::size_t bytes_for(std::size_t bits) { return (bits + byte_bits - 1) / byte_bits; }

// A thread writes the bits of eight keys, which share a byte.
__global__ void outside_kernel(const DeviceElements keys, const std::uint8_t* inside,
                               std::uint8_t* outside) {
  const std::size_t byte = thread_number();
  const std::size_t first = byte * byte_bits;
  if (first >= keys.size) return;
  unsigned bits = 0;
  for (unsigned bit = 0; bit < byte_bits && first + bit < keys.size; ++bit)
    if (is_valid(keys, first + bit)) bits |= 1U << bit;
  outside[byte] = static_cast<std::uint8_t>(bits & ~static_cast<unsigned>(inside[byte]));
}

__global__ void drop_kernel(const DeviceElements keys, const ClosestPoints found) {
  const std::size_t byte = thread_number();
  const std::size_t first = byte * byte_bits;
  if (first >= keys.size) return;
  unsigned ends = found.has_end[byte];
  unsigned starts = found.has_start[byte];
  const unsigned both = ends & starts;
  if (both == 0) return;
  const DeviceElements to_ends{found.ends, found.type, nullptr, 0, keys.size};
  const DeviceElements to_starts{found.starts, found.type, nullptr, 0, keys.size};
  const auto distance = [&](const DeviceElements& to, std::size_t i) {
    return distance_to(keys.data, keys.type, i, bits_of(to, i), found.type);
  };
  for (unsigned bit = 0; bit < byte_bits && first + bit < keys.size; ++bit) {
    if ((both >> bit & 1U) == 0) continue;
    const KeyDistance before = distance(to_ends, first + bit);
    const KeyDistance behind = distance(to_starts, first + bit);
    if (before.exceeds(behind)) ends &= ~(1U << bit);
    if (behind.exceeds(before)) starts &= ~(1U << bit);
  }
  found.has_end[byte] = static_cast<std::uint8_t>(ends);
  found.has_start[byte] = static_cast<std::uint8_t>(starts);
}

}  // namespace

void find_outside(const DeviceElements& keys, const std::uint8_t* inside, std::uint8_t* outside,
                  cudaStream_t stream) {
  if (keys.size == 0) return;
  outside_kernel<<<blocks_for(bytes_for(keys.size)), block_threads, 0, stream>>>(keys, inside,
                                                                                 outside);
  check_launch("finding keys in no interval");
}

void drop_farther(const DeviceElements& keys, const ClosestPoints& found, cudaStream_t stream) {
  if (keys.size == 0) return;
  drop_kernel<<<blocks_for(bytes_for(keys.size)), block_threads, 0, stream>>>(keys, found);
  check_launch("choosing the closer intervals");
}

}  // namespace rtindex::cuda
