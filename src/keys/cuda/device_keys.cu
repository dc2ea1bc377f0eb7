#include "keys/cuda/device_keys.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <algorithm>

#include "base/cuda/device_array.hpp"
#include "base/cuda/launch.cuh"
#include "keys/cuda/element_bits.cuh"
#include "keys/cuda/key_blocks.hpp"

namespace rtindex::cuda {

namespace {

// Columns of integers of 4 or 8 bytes without nulls, the most common ones: every thread has several
// loads in flight. ordered_bits() of such an element is the element with its sign bit flipped.

constexpr int loads_under_way = 8;

template <class Element, class Work>
__device__ void for_each_plain(const Element* elements, std::size_t size, Work work) {
  const std::size_t step = thread_count();
  std::size_t i = thread_number();
  for (; i + (loads_under_way - 1) * step < size; i += loads_under_way * step) {
    Element loaded[loads_under_way];
#pragma unroll
    for (int k = 0; k < loads_under_way; ++k) loaded[k] = __ldcs(elements + i + k * step);
#pragma unroll
    for (int k = 0; k < loads_under_way; ++k) work(i + k * step, loaded[k]);
  }
  for (; i < size; i += step) work(i, __ldcs(elements + i));
}

// Also sets `descends` where a key is less than the one before it. A thread that has found such a
// key looks for no more of them: in a column without an order all but the first keys are read once.
template <class Element>
__global__ void plain_extent(const Element* elements, std::size_t size, Element flip,
                             DeviceExtent* extent) {
  Element smallest = ~Element{0};
  Element largest = 0;
  bool descends = false;
  const auto add = [&](Element element) {
    smallest = min(smallest, static_cast<Element>(element ^ flip));
    largest = max(largest, static_cast<Element>(element ^ flip));
  };
  const std::size_t step = thread_count();
  std::size_t i = thread_number();
  for (; i + (loads_under_way - 1) * step + 1 < size; i += loads_under_way * step) {
    Element loaded[loads_under_way];
#pragma unroll
    for (int k = 0; k < loads_under_way; ++k) loaded[k] = __ldcs(elements + i + k * step);
    if (!descends) {
      Element next[loads_under_way];
#pragma unroll
      for (int k = 0; k < loads_under_way; ++k) next[k] = elements[i + k * step + 1];
#pragma unroll
      for (int k = 0; k < loads_under_way; ++k) descends |= (loaded[k] ^ flip) > (next[k] ^ flip);
    }
#pragma unroll
    for (int k = 0; k < loads_under_way; ++k) add(loaded[k]);
  }
  for (; i < size; i += step) {
    add(elements[i]);
    descends |= i + 1 < size && (elements[i] ^ flip) > (elements[i + 1] ^ flip);
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    smallest = min(smallest, __shfl_down_sync(~0U, smallest, lanes));
    largest = max(largest, __shfl_down_sync(~0U, largest, lanes));
  }
  constexpr int warps = block_threads / 32;
  __shared__ Element of_warps[2][warps];
  if (threadIdx.x % 32 == 0) {
    of_warps[0][threadIdx.x / 32] = smallest;
    of_warps[1][threadIdx.x / 32] = largest;
  }
  const bool any_descends = __syncthreads_or(descends) != 0;
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < warps; ++warp) {
    smallest = min(smallest, of_warps[0][warp]);
    largest = max(largest, of_warps[1][warp]);
  }
  atomicMin(reinterpret_cast<unsigned long long*>(&extent->smallest),
            static_cast<unsigned long long>(smallest));
  atomicMax(reinterpret_cast<unsigned long long*>(&extent->largest),
            static_cast<unsigned long long>(largest));
  if (any_descends) extent->descends = 1;
}

template <class Element>
__global__ void plain_pairs(const Element* elements, std::size_t size, Element flip,
                            std::uint64_t base, RowIds ids, std::uint64_t* pairs) {
  for_each_plain(elements, size, [&](std::size_t i, Element element) {
    pairs[i] = (std::uint64_t{static_cast<Element>(element ^ flip)} - base) << 32 | ids[i];
  });
}

template <class Element, class Key>
__global__ void plain_keys(const Element* elements, std::size_t size, Element flip,
                           std::uint64_t base, RowIds ids, Key* keys, std::uint32_t* rows) {
  for_each_plain(elements, size, [&](std::size_t i, Element element) {
    keys[i] = static_cast<Key>(std::uint64_t{static_cast<Element>(element ^ flip)} - base);
    if (rows != nullptr) rows[i] = ids[i];
  });
}

// Calls work(elements, flip) where a column is plain; false where it is not.
template <class Work>
bool if_plain(const DeviceElements& column, Work&& work) {
  const bool is_signed = column.type.kind == ElementType::Kind::signed_int;
  if (column.validity != nullptr || column.size == 0 ||
      (!is_signed && column.type.kind != ElementType::Kind::unsigned_int))
    return false;
  if (column.type.bytes == 4)
    work(static_cast<const std::uint32_t*>(column.data), is_signed ? 0x80000000U : 0U);
  else if (column.type.bytes == 8)
    work(static_cast<const unsigned long long*>(column.data), is_signed ? 1ULL << 63 : 0ULL);
  else
    return false;
  return true;
}

// As many blocks as run at once, each with several rounds.
[[nodiscard]] unsigned plain_blocks(std::size_t size) {
  return loop_blocks(size / loads_under_way + 1);
}

// Reduces the facts of a warp's threads; called by all of them.
__device__ void add_to(DeviceExtent* extent, std::uint64_t smallest, std::uint64_t largest,
                       unsigned long long valid) {
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    smallest = min(smallest, __shfl_down_sync(~0U, smallest, lanes));
    largest = max(largest, __shfl_down_sync(~0U, largest, lanes));
    valid += __shfl_down_sync(~0U, valid, lanes);
  }
  if (threadIdx.x % 32 != 0 || valid == 0) return;
  atomicMin(reinterpret_cast<unsigned long long*>(&extent->smallest), smallest);
  atomicMax(reinterpret_cast<unsigned long long*>(&extent->largest), largest);
  atomicAdd(reinterpret_cast<unsigned long long*>(&extent->valid), valid);
}

__global__ void find_extent(DeviceElements column, DeviceExtent* extent) {
  std::uint64_t smallest = ~std::uint64_t{0};
  std::uint64_t largest = 0;
  unsigned long long valid = 0;
  bool descends = column.validity != nullptr;  // of a column with nulls nothing is reported
  for (std::size_t i = thread_number(); i < column.size; i += thread_count()) {
    if (!is_valid(column, i)) continue;
    const std::uint64_t bits = bits_of(column, i);
    smallest = min(smallest, bits);
    largest = max(largest, bits);
    descends = descends || (i + 1 < column.size && bits > bits_of(column, i + 1));
    ++valid;
  }
  if (descends) extent->descends = 1;
  add_to(extent, smallest, largest, valid);
}

// Facts about new keys, collected while all of them are read.
struct NewKeyFacts {
  DeviceExtent extent{~std::uint64_t{0}, 0, 0};
  unsigned long long first_unfit = ~0ULL;
};

__global__ void convert_each(DeviceElements keys, NativeMap map, std::uint64_t* converted,
                             NewKeyFacts* facts) {
  std::uint64_t smallest = ~std::uint64_t{0};
  std::uint64_t largest = 0;
  unsigned long long valid = 0;
  for (std::size_t i = thread_number(); i < keys.size; i += thread_count()) {
    if (!is_valid(keys, i)) continue;
    const NewKey key = convert_key(map, keys.data, keys.type, i);
    if (!key.fits) atomicMin(&facts->first_unfit, static_cast<unsigned long long>(i));
    converted[i] = key.bits - map.base;
    smallest = min(smallest, key.bits);
    largest = max(largest, key.bits);
    ++valid;
  }
  add_to(&facts->extent, smallest, largest, valid);
}

__global__ void count_valid(DeviceElements column, std::uint32_t* counts) {
  const std::size_t i = thread_number();
  if (i < column.size) counts[i] = is_valid(column, i) ? 1 : 0;
}

template <class Key>
__global__ void encode_rows(DeviceElements column, std::uint64_t base,
                            const std::uint32_t* positions, RowIds ids, Key* keys,
                            std::uint32_t* rows) {
  const std::size_t i = thread_number();
  if (i >= column.size || (positions != nullptr && !is_valid(column, i))) return;
  const std::size_t to = positions == nullptr ? i : positions[i];
  keys[to] = static_cast<Key>(bits_of(column, i) - base);
  if (rows != nullptr) rows[to] = ids[i];
}

__global__ void encode_pairs(DeviceElements column, std::uint64_t base,
                             const std::uint32_t* positions, RowIds ids, std::uint64_t* pairs) {
  const std::size_t i = thread_number();
  if (i >= column.size || (positions != nullptr && !is_valid(column, i))) return;
  pairs[positions == nullptr ? i : positions[i]] = (bits_of(column, i) - base) << 32 | ids[i];
}

struct IsNull {
  DeviceElements column;
  __device__ bool operator()(std::uint32_t i) const { return !is_valid(column, i); }
};

template <class Key>
[[nodiscard]] __device__ KeyInterval<Key> encode_lookup(const NativeLookups& lookups,
                                                        std::size_t i) {
  const auto& [lower, upper, ends, map] = lookups;
  const bool has_upper = is_valid(upper, i);
  if (!is_valid(lower, i) || (!has_upper && !ends.null_upper_is_none)) return {1, 0};
  const Interval interval = encode_interval(map, lower.data, lower.type,
                                            has_upper ? upper.data : nullptr, upper.type, i, ends);
  if (interval.empty()) return {1, 0};
  return {static_cast<Key>(interval.lower), static_cast<Key>(interval.upper)};
}

template <class Key>
__global__ void encode_intervals(const __grid_constant__ NativeLookups lookups,
                                 KeyInterval<Key>* intervals) {
  const std::size_t i = thread_number();
  if (i < lookups.lower.size) intervals[i] = encode_lookup<Key>(lookups, i);
}

struct LookupsOfColumns {
  NativeLookups columns[max_encoded_columns];
};

__global__ void encode_columns(const __grid_constant__ LookupsOfColumns lookups, std::size_t count,
                               KeyInterval<std::uint64_t>* intervals) {
  const std::size_t i = thread_number();
  if (i < count)
    intervals[blockIdx.y * count + i] =
        encode_lookup<std::uint64_t>(lookups.columns[blockIdx.y], i);
}

template <class Key>
void encode_into(const DeviceElements& column, const NativeMap& map, const std::uint32_t* positions,
                 RowIds ids, Key* keys, std::uint32_t* rows, cudaStream_t stream) {
  if (column.size == 0) return;
  const bool done = if_plain(column, [&](auto elements, auto flip) {
    plain_keys<<<plain_blocks(column.size), block_threads, 0, stream>>>(elements, column.size, flip,
                                                                        map.base, ids, keys, rows);
  });
  if (!done)
    encode_rows<<<blocks_for(column.size), block_threads, 0, stream>>>(column, map.base, positions,
                                                                       ids, keys, rows);
  check_launch("encoding keys");
}

}  // namespace

DeviceExtent extent_of(const DeviceElements& column, const Queue& queue) {
  DeviceExtent extent{~std::uint64_t{0}, 0, 0, column.validity == nullptr ? 0U : 1U};
  if (column.size == 0) return extent;
  const bool plain = if_plain(column, [](auto, auto) {});
  if (plain) extent.valid = column.size;
  const DeviceArray<DeviceExtent> on_device(queue, 1);
  check(cudaMemcpyAsync(on_device.data(), &extent, sizeof(extent), cudaMemcpyHostToDevice, queue),
        "copying to the GPU");
  if (plain)
    if_plain(column, [&](auto elements, auto flip) {
      plain_extent<<<plain_blocks(column.size), block_threads, 0, queue>>>(elements, column.size,
                                                                           flip, on_device.data());
    });
  else
    find_extent<<<loop_blocks(column.size), block_threads, 0, queue>>>(column, on_device.data());
  check_launch("looking for the smallest key");
  check(cudaMemcpyAsync(&extent, on_device.data(), sizeof(extent), cudaMemcpyDeviceToHost, queue),
        "copying from the GPU");
  check(cudaStreamSynchronize(queue), "looking for the smallest key");
  return extent;
}

DeviceColumn encode_column(const DeviceElements& column, const NativeMap& map, std::size_t valid,
                           RowIds ids, std::size_t row_count, KeyRoom room, const Queue& queue) {
  DeviceColumn result;
  result.size = valid;
  result.row_count = row_count;
  result.rows_ascend = ids.rows == nullptr;
  result.span = map.span;
  const bool pairs = room.with_rows && !result.is_wide();
  const std::size_t all = valid + room.keys;
  if (pairs)
    result.pairs = DeviceArray<std::uint64_t>(queue, all);
  else if (result.is_wide())
    result.wide =
        DeviceArray<std::uint64_t>(queue, room.with_rows ? KeyBlocks::words_for(all) : all);
  else
    result.narrow = DeviceArray<std::uint32_t>(queue, all);
  if (!pairs && (valid != row_count || !ids.is_identity()))
    result.rows = DeviceArray<std::uint32_t>(queue, valid);
  DeviceArray<std::uint32_t> positions;
  if (valid != column.size) {
    positions = DeviceArray<std::uint32_t>(queue, column.size);
    count_valid<<<blocks_for(column.size), block_threads, 0, queue>>>(column, positions.data());
    check_launch("counting nulls");
    with_scratch(queue, "counting nulls", [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(scratch, bytes, positions.data(), positions.data(),
                                           column.size, queue);
    });
  }
  if (pairs && column.size != 0) {
    const bool done = if_plain(column, [&](auto elements, auto flip) {
      plain_pairs<<<plain_blocks(column.size), block_threads, 0, queue>>>(
          elements, column.size, flip, map.base, ids, result.pairs.data());
    });
    if (!done)
      encode_pairs<<<blocks_for(column.size), block_threads, 0, queue>>>(
          column, map.base, positions.data(), ids, result.pairs.data());
    check_launch("encoding keys");
  } else if (result.is_wide())
    encode_into(column, map, positions.data(), ids, result.wide.data(), result.rows.data(), queue);
  else
    encode_into(column, map, positions.data(), ids, result.narrow.data(), result.rows.data(),
                queue);
  return result;
}

NewKeys convert_keys(const DeviceElements& keys, ElementType column, std::uint64_t base,
                     const Queue& queue) {
  NewKeyFacts facts;
  NewKeys result{DeviceArray<std::uint64_t>(queue, keys.size), facts.extent, {}};
  if (keys.size == 0) return result;
  const DeviceArray<NewKeyFacts> on_device(queue, 1);
  check(cudaMemcpyAsync(on_device.data(), &facts, sizeof(facts), cudaMemcpyHostToDevice, queue),
        "copying to the GPU");
  const NativeMap map{column, base, ~std::uint64_t{0}, false};
  convert_each<<<loop_blocks(keys.size), block_threads, 0, queue>>>(keys, map, result.keys.data(),
                                                                    on_device.data());
  check_launch("converting keys");
  check(cudaMemcpyAsync(&facts, on_device.data(), sizeof(facts), cudaMemcpyDeviceToHost, queue),
        "copying from the GPU");
  check(cudaStreamSynchronize(queue), "converting keys");
  result.extent = facts.extent;
  if (facts.first_unfit != ~0ULL) result.unfit = facts.first_unfit;
  return result;
}

DeviceArray<std::uint32_t> null_elements(const DeviceElements& column, std::size_t count,
                                         const Queue& queue) {
  DeviceArray<std::uint32_t> elements(queue, count);
  if (count == 0) return elements;
  const DeviceArray<std::uint32_t> found(queue, 1);
  with_scratch(queue, "listing nulls", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<std::uint32_t>(0),
                                 elements.data(), found.data(),
                                 static_cast<std::int64_t>(column.size), IsNull{column}, queue);
  });
  return elements;
}

template <class Key>
void encode_lookups(const NativeLookups& lookups, KeyInterval<Key>* intervals,
                    cudaStream_t stream) {
  if (lookups.lower.size == 0) return;
  encode_intervals<<<blocks_for(lookups.lower.size), block_threads, 0, stream>>>(lookups,
                                                                                 intervals);
  check_launch("encoding lookups");
}

template void encode_lookups(const NativeLookups&, KeyInterval<std::uint32_t>*, cudaStream_t);
template void encode_lookups(const NativeLookups&, KeyInterval<std::uint64_t>*, cudaStream_t);

void encode_lookups(std::span<const NativeLookups> columns, KeyInterval<std::uint64_t>* intervals,
                    cudaStream_t stream) {
  if (columns.empty() || columns.front().lower.size == 0) return;
  const std::size_t count = columns.front().lower.size;
  LookupsOfColumns lookups{};
  std::copy(columns.begin(), columns.end(), lookups.columns);
  const dim3 blocks(blocks_for(count), static_cast<unsigned>(columns.size()));
  encode_columns<<<blocks, block_threads, 0, stream>>>(lookups, count, intervals);
  check_launch("encoding lookups");
}

}  // namespace rtindex::cuda
