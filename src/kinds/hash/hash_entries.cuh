#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <cub/warp/warp_reduce.cuh>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "base/cuda/device_array.hpp"
#include "base/cuda/launch.cuh"
#include "base/cuda/transfer.hpp"
#include "kinds/hash/hash_slots.cuh"

// The entries of hash@cuda in the order of their hashes. Included by one file only.

namespace rtindex::cuda {

namespace {

constexpr const char* building_table = "building the hash table";

// Statistics of sorted entries.
struct EntryStats {
  std::uint32_t distinct;   // hashes
  std::uint32_t repeated;   // entries with duplicate hashes
  std::uint32_t unordered;  // 1 if values of one hash descend somewhere
  // If entries are sorted by some bits only: groups with equal bits that are unsorted, and whether
  // one was too large to be sorted.
  std::uint32_t groups;
  std::uint32_t too_large;
};

template <class Key>
__global__ void hash_keys(const Key* keys, const std::uint32_t* rows, std::size_t size,
                          Entries<Key> entries) {
  const std::size_t i = thread_number();
  if (i < size)
    entries.set(i, mix(keys[i]), rows == nullptr ? static_cast<std::uint32_t>(i) : rows[i]);
}

// The most entries that one thread sorts.
constexpr std::uint32_t max_tied = 64;

// Lists the first entry of each group with equal bits (those from `shift` on) whose hashes descend
// somewhere.
inline __global__ void find_ties(const std::uint64_t* hashes, std::size_t size, int shift,
                                 std::uint32_t* groups, std::uint32_t capacity, EntryStats* stats) {
  const std::size_t i = thread_number();
  if (i == 0 || i >= size) return;
  const std::uint64_t bits = hashes[i] >> shift;
  if (hashes[i] >= hashes[i - 1] || hashes[i - 1] >> shift != bits) return;
  std::size_t first = i - 1;
  for (; first > 0 && hashes[first - 1] >> shift == bits; --first) {
    if (hashes[first] < hashes[first - 1]) return;  // that descent lists the group
    if (i - first >= max_tied) {
      stats->too_large = 1;
      return;
    }
  }
  const std::uint32_t number = atomicAdd(&stats->groups, 1U);
  if (number < capacity) groups[number] = static_cast<std::uint32_t>(first);
}

// By insertion: entries of one hash stay in the order of their values.
inline __global__ void sort_ties(std::uint64_t* hashes, std::uint32_t* values, std::size_t size,
                                 int shift, const std::uint32_t* groups, std::uint32_t capacity,
                                 EntryStats* stats) {
  const std::size_t number = thread_number();
  if (number >= min(stats->groups, capacity)) return;
  const std::size_t first = groups[number];
  const std::uint64_t bits = hashes[first] >> shift;
  for (std::size_t i = first + 1; i < size && hashes[i] >> shift == bits; ++i) {
    if (i - first >= 2 * max_tied) {
      stats->too_large = 1;
      return;
    }
    const std::uint64_t hash = hashes[i];
    const std::uint32_t value = values[i];
    std::size_t to = i;
    for (; to > first && hashes[to - 1] > hash; --to) {
      hashes[to] = hashes[to - 1];
      values[to] = values[to - 1];
    }
    hashes[to] = hash;
    values[to] = value;
  }
}

template <class Hash>
__global__ void count_entries(Entries<Hash> entries, std::size_t size, EntryStats* stats) {
  std::uint32_t distinct = 0;
  std::uint32_t repeated = 0;
  bool descends = false;
  for (std::size_t i = thread_number(); i < size; i += thread_count()) {
    const bool starts = entries.starts(i);
    distinct += starts ? 1 : 0;
    repeated += entries.repeats(i, size) ? 1 : 0;
    descends |= !starts && entries.value(i) < entries.value(i - 1);
  }
  using Reduce = cub::WarpReduce<std::uint32_t>;
  __shared__ typename Reduce::TempStorage storage[block_threads / 32];
  distinct = Reduce(storage[threadIdx.x / 32]).Sum(distinct);
  __syncwarp();
  repeated = Reduce(storage[threadIdx.x / 32]).Sum(repeated);
  descends = __any_sync(~0U, descends) != 0;
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&stats->distinct, distinct);
  if (repeated != 0) atomicAdd(&stats->repeated, repeated);
  if (descends) stats->unordered = 1;
}

// Writes the numbers below `size` for which `wanted` holds, in their order; returns how many there
// are. `out` has room for one more.
template <class Wanted>
std::uint32_t select_numbers(std::size_t size, const Wanted& wanted, std::uint32_t* out,
                             const Queue& queue) {
  const DeviceArray<std::uint32_t> found_here(queue, 1);
  std::uint32_t found = 0;
  // Before CUDA 13 CUB counts what it selects from in an int.
  constexpr std::uint64_t step = std::uint64_t{1} << 30;
  for (std::uint64_t first = 0; first < size; first += step) {
    const auto here = static_cast<int>(std::min<std::uint64_t>(step, size - first));
    with_scratch(queue, building_table, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceSelect::If(
          scratch, bytes,
          thrust::counting_iterator<std::uint32_t>(static_cast<std::uint32_t>(first)), out + found,
          found_here.data(), here, wanted, queue);
    });
    std::uint32_t more = 0;
    copy_to_host(&more, found_here.data(), sizeof(more), queue);
    found += more;
  }
  return found;
}

// Entries sorted by hash; the sort is stable.
template <class Hash>
class SortedEntries {
 public:
  // `rows` of the keys; null: key i is row i.
  SortedEntries(const Hash* keys, const std::uint32_t* rows, std::size_t size, const Queue& queue)
      : size_(size), queue_(queue), arrays_(size, queue) {
    hash_keys<<<blocks_for(size), block_threads, 0, queue>>>(keys, rows, size, arrays_.view());
    check_launch(building_table);
  }

  // Blocks until they are sorted.
  void sort() {
    const DeviceArray<EntryStats> on_device(queue_, 1);
    if constexpr (sizeof(Hash) == 4) {
      sort_bits(0);
      count(on_device);
    } else {
      // A few more bits than those that number the entries distinguish nearly all of them.
      constexpr int spare_bits = 5;
      constexpr int digit_bits = 8;  // of one pass of the sort
      const int bits = std::bit_width(size_) + spare_bits;
      const int shift = std::max(0, 64 - (bits + digit_bits - 1) / digit_bits * digit_bits);
      sort_bits(shift);
      count(on_device, shift);
      if (stats_.too_large == 0 && stats_.groups <= max_groups()) return;
      sort_bits(0);
      count(on_device);
    }
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Entries<Hash> view() const { return arrays_.view(); }
  [[nodiscard]] const EntryStats& stats() const { return stats_; }

 private:
  struct Arrays {
    Arrays(std::size_t size, const Queue& queue) {
      if constexpr (sizeof(Hash) == 4) {
        pairs = DeviceArray<std::uint64_t>(queue, size);
      } else {
        hashes = DeviceArray<Hash>(queue, size);
        values = DeviceArray<std::uint32_t>(queue, size);
      }
    }
    [[nodiscard]] Entries<Hash> view() const {
      return {pairs.data(), hashes.data(), values.data()};
    }

    DeviceArray<std::uint64_t> pairs;
    DeviceArray<Hash> hashes;
    DeviceArray<std::uint32_t> values;
  };

  // By the bits of their hashes from `shift` on.
  void sort_bits(int shift) {
    Arrays other(size_, queue_);
    const Entries<Hash> from = arrays_.view();
    const Entries<Hash> to = other.view();
    bool moved = false;
    with_scratch(queue_, building_table, [&](void* scratch, std::size_t& bytes) {
      cudaError_t status = cudaSuccess;
      if constexpr (sizeof(Hash) == 4) {
        cub::DoubleBuffer<std::uint64_t> pairs(from.pairs, to.pairs);
        status =
            cub::DeviceRadixSort::SortKeys(scratch, bytes, pairs, size_, 32 + shift, 64, queue_);
        moved = pairs.Current() != from.pairs;
      } else {
        cub::DoubleBuffer<Hash> hashes(from.hashes, to.hashes);
        cub::DoubleBuffer<std::uint32_t> values(from.values, to.values);
        status = cub::DeviceRadixSort::SortPairs(scratch, bytes, hashes, values, size_, shift, 64,
                                                 queue_);
        moved = hashes.Current() != from.hashes;
      }
      return status;
    });
    if (moved) std::swap(arrays_, other);
  }

  // Groups of entries that agree in the sorted bits: more of them are sorted by all bits.
  [[nodiscard]] std::uint32_t max_groups() const {
    return static_cast<std::uint32_t>(size_ / 16 + 1);
  }

  void count(const DeviceArray<EntryStats>& on_device, int shift = 0) {
    check(cudaMemsetAsync(on_device.data(), 0, sizeof(EntryStats), queue_), "filling memory");
    if constexpr (sizeof(Hash) == 8) {
      if (shift != 0) {
        const Entries<Hash> entries = arrays_.view();
        const DeviceArray<std::uint32_t> groups(queue_, max_groups());
        find_ties<<<blocks_for(size_), block_threads, 0, queue_>>>(
            entries.hashes, size_, shift, groups.data(), max_groups(), on_device.data());
        sort_ties<<<blocks_for(max_groups()), block_threads, 0, queue_>>>(
            entries.hashes, entries.values, size_, shift, groups.data(), max_groups(),
            on_device.data());
      }
    }
    count_entries<<<loop_blocks(size_), block_threads, 0, queue_>>>(arrays_.view(), size_,
                                                                    on_device.data());
    check_launch(building_table);
    copy_to_host(&stats_, on_device.data(), sizeof(stats_), queue_);
  }

  std::size_t size_;
  Queue queue_;
  Arrays arrays_;
  EntryStats stats_{};
};

}  // namespace

}  // namespace rtindex::cuda
