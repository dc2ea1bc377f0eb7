#include "storage/cuda/order_lookups.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <bit>

#include "base/cuda/launch.cuh"
#include "base/cuda/scratch.hpp"

namespace rtindex::cuda {

namespace {

// Bits that are sorted by: two passes of a radix sort.
constexpr int sorted_bits = 16;

template <class Key>
__global__ void take_bins(const KeyInterval<Key>* intervals, std::size_t count, int shift,
                          std::uint32_t* bins, std::uint32_t* places) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  bins[i] = static_cast<std::uint32_t>(intervals[i].lower >> shift);
  places[i] = static_cast<std::uint32_t>(i);
}

template <class Key>
__global__ void take_intervals(const KeyInterval<Key>* from, const std::uint32_t* places,
                               std::size_t count, KeyInterval<Key>* to) {
  const std::size_t i = thread_number();
  if (i < count) to[i] = from[places[i]];
}

template <class Key>
__global__ void patch(Key* keys, const std::uint32_t* valid_rows, std::size_t size,
                      const std::uint32_t* rows, const std::uint64_t* new_keys, std::size_t count,
                      std::uint32_t* missing) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  std::size_t place = rows[i];
  if (valid_rows != nullptr) {
    std::size_t low = 0;
    std::size_t high = size;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (valid_rows[middle] < rows[i])
        low = middle + 1;
      else
        high = middle;
    }
    if (low == size || valid_rows[low] != rows[i]) {
      *missing = 1;
      return;
    }
    place = low;
  }
  keys[place] = static_cast<Key>(new_keys[i]);
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
  DeviceArray<std::uint32_t> places(memory, count, stream);
  DeviceArray<std::uint32_t> other_places(memory, count, stream);
  const unsigned blocks = blocks_for(count);
  take_bins<<<blocks, block_threads, 0, stream>>>(intervals, count, shift, bins.data(),
                                                  places.data());
  cub::DoubleBuffer<std::uint32_t> bin_buffers(bins.data(), other_bins.data());
  cub::DoubleBuffer<std::uint32_t> place_buffers(places.data(), other_places.data());
  with_scratch(memory, stream, "ordering lookups", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, bin_buffers, place_buffers, count, 0,
                                           std::min(bits, sorted_bits), stream);
  });
  ordered.places =
      place_buffers.Current() == places.data() ? std::move(places) : std::move(other_places);
  ordered.intervals = DeviceArray<KeyInterval<Key>>(memory, count, stream);
  take_intervals<<<blocks, block_threads, 0, stream>>>(intervals, ordered.places.data(), count,
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

bool patch_column(DeviceColumn& column, const std::uint32_t* rows, const std::uint64_t* keys,
                  std::size_t count, const std::shared_ptr<DeviceMemory>& memory,
                  cudaStream_t stream) {
  const DeviceArray<std::uint32_t> missing(memory, 1, stream);
  check(cudaMemsetAsync(missing.data(), 0, sizeof(std::uint32_t), stream), "filling memory");
  const std::uint32_t* const valid_rows = column.rows.empty() ? nullptr : column.rows.data();
  if (column.size == 0) return count == 0;
  if (column.is_wide())
    patch<<<blocks_for(count), block_threads, 0, stream>>>(
        column.wide.data(), valid_rows, column.size, rows, keys, count, missing.data());
  else
    patch<<<blocks_for(count), block_threads, 0, stream>>>(
        column.narrow.data(), valid_rows, column.size, rows, keys, count, missing.data());
  check_launch("changing keys");
  std::uint32_t any_missing = 0;
  check(cudaMemcpyAsync(&any_missing, missing.data(), sizeof(any_missing), cudaMemcpyDeviceToHost,
                        stream),
        "copying from the GPU");
  check(cudaStreamSynchronize(stream), "changing keys");
  return any_missing == 0;
}

}  // namespace rtindex::cuda
