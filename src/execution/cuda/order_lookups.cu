#include "execution/cuda/order_lookups.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <bit>

#include "base/cuda/device_array.hpp"
#include "base/cuda/launch.cuh"

namespace rtindex::cuda {

namespace {

// Bits that are sorted by: two passes of a radix sort.
constexpr int sorted_bits = 16;

template <class Key>
__global__ void take_bins(const KeyInterval<Key>* intervals, std::size_t count, int shift,
                          std::uint32_t* bins, std::uint32_t* positions) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  bins[i] = static_cast<std::uint32_t>(intervals[i].lower >> shift);
  positions[i] = static_cast<std::uint32_t>(i);
}

template <class Key>
__global__ void take_intervals(const KeyInterval<Key>* from, const std::uint32_t* positions,
                               std::size_t count, KeyInterval<Key>* to) {
  const std::size_t i = thread_number();
  if (i < count) to[i] = from[positions[i]];
}

}  // namespace

template <class Key>
OrderedLookups<Key> order_lookups(const KeyInterval<Key>* intervals, std::size_t count,
                                  std::uint64_t span, const std::shared_ptr<DeviceMemory>& memory,
                                  cudaStream_t stream) {
  OrderedLookups<Key> ordered;
  const int bits = std::max(1, static_cast<int>(std::bit_width(span)));
  const int shift = std::max(0, bits - sorted_bits);
  DeviceArray<std::uint32_t> bins(memory, count, stream);
  DeviceArray<std::uint32_t> other_bins(memory, count, stream);
  DeviceArray<std::uint32_t> positions(memory, count, stream);
  DeviceArray<std::uint32_t> other_positions(memory, count, stream);
  const unsigned blocks = blocks_for(count);
  take_bins<<<blocks, block_threads, 0, stream>>>(intervals, count, shift, bins.data(),
                                                  positions.data());
  cub::DoubleBuffer<std::uint32_t> bin_buffers(bins.data(), other_bins.data());
  cub::DoubleBuffer<std::uint32_t> position_buffers(positions.data(), other_positions.data());
  with_scratch(memory, stream, "ordering lookups", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, bin_buffers, position_buffers, count, 0,
                                           std::min(bits, sorted_bits), stream);
  });
  ordered.positions = position_buffers.Current() == positions.data() ? std::move(positions)
                                                                     : std::move(other_positions);
  ordered.intervals = DeviceArray<KeyInterval<Key>>(memory, count, stream);
  take_intervals<<<blocks, block_threads, 0, stream>>>(intervals, ordered.positions.data(), count,
                                                       ordered.intervals.data());
  check_launch("ordering lookups");
  return ordered;
}

template OrderedLookups<std::uint32_t> order_lookups(const KeyInterval<std::uint32_t>*, std::size_t,
                                                     std::uint64_t,
                                                     const std::shared_ptr<DeviceMemory>&,
                                                     cudaStream_t);
template OrderedLookups<std::uint64_t> order_lookups(const KeyInterval<std::uint64_t>*, std::size_t,
                                                     std::uint64_t,
                                                     const std::shared_ptr<DeviceMemory>&,
                                                     cudaStream_t);

}  // namespace rtindex::cuda
