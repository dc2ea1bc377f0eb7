#include "order/cuda/merge_few.hpp"

#include <cub/block/block_scan.cuh>

#include <numeric>
#include <utility>

#include "base/cuda/launch.cuh"
#include "base/cuda/pinned_results.hpp"
#include "base/search.hpp"
#include "order/cuda/few_keys.hpp"
#include "order/cuda/pair_writer.cuh"

namespace rtindex::cuda {

namespace {

constexpr const char* merging_change = "merging_change the keys of a change";

// Every block of threads sums the numbers of valid keys of all tiles before its own.
constexpr std::size_t max_merged_keys = std::size_t{1} << 22;

// Keys of the first part that a block of threads merges.
constexpr int thread_keys = 4;
constexpr std::uint32_t tile_keys = block_threads * thread_keys;

struct MergedParts {
  KeysView first_keys, second_keys;
  RowsView first_rows, second_rows;
  std::uint32_t first_size, second_size;
  RowBits deleted;  // of the first part
  bool by_row;      // equal keys in the order of rows; else those of the first part first

  // Whether a key of the second part comes before one of the first.
  [[nodiscard]] __device__ bool is_before(std::uint64_t second_key, std::uint32_t second_row,
                                          std::uint64_t key, std::uint32_t row) const {
    if (second_key != key) return second_key < key;
    return by_row && second_row < row;
  }
  // How many keys of the second part, from `begin` to `end`, come before one of the first.
  [[nodiscard]] __device__ std::uint32_t before(std::uint64_t key, std::uint32_t row,
                                                std::uint32_t begin, std::uint32_t end) const {
    return partition_point(begin, end, [&](std::uint32_t i) {
      return is_before(second_keys(i), second_rows[i], key, row);
    });
  }
};

using TileScan = cub::BlockScan<std::uint32_t, block_threads>;

__global__ void __launch_bounds__(block_threads)
    count_tiles(RowsView rows, std::uint32_t size, RowBits deleted, std::uint32_t* counts,
                std::uint32_t* results) {
  std::uint32_t valid = 0;
  for (int k = 0; k < thread_keys; ++k) {
    const std::uint32_t i = blockIdx.x * tile_keys + k * block_threads + threadIdx.x;
    const bool is_valid = i < size && !deleted.has(rows[i]);
    valid += static_cast<std::uint32_t>(__syncthreads_count(is_valid ? 1 : 0));
  }
  if (threadIdx.x != 0) return;
  counts[blockIdx.x] = valid;
  results[blockIdx.x] = valid;
}

// A block of threads merges a tile of the first part with the keys of the second part that come
// before the next tile. `valid_counts`: of each tile; null: no row is deleted.
__global__ void __launch_bounds__(block_threads)
    merge_tiles(MergedParts parts, const std::uint32_t* valid_counts, PairWriter out,
                std::uint32_t size, KeyFilter filter, std::uint32_t* filter_words) {
  __shared__ typename TileScan::TempStorage scan;
  __shared__ std::uint64_t keys[tile_keys];
  __shared__ std::uint32_t rows[tile_keys];
  __shared__ std::uint32_t ranks[tile_keys + 1];  // how many valid keys of the tile are before
  __shared__ std::uint32_t second_begin, second_end;
  const std::uint32_t begin = blockIdx.x * tile_keys;
  const std::uint32_t end = min(begin + tile_keys, parts.first_size);
  const std::uint32_t tile = end - begin;

  std::uint32_t valid_before = begin;
  if (valid_counts != nullptr) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = threadIdx.x; i < blockIdx.x; i += blockDim.x) sum += valid_counts[i];
    std::uint32_t unused = 0;
    TileScan(scan).ExclusiveSum(sum, unused, valid_before);
    __syncthreads();
  }

  std::uint32_t valid[thread_keys];
#pragma unroll
  for (int k = 0; k < thread_keys; ++k) {
    const std::uint32_t i = threadIdx.x * thread_keys + k;
    valid[k] = 0;
    if (i >= tile) continue;
    keys[i] = parts.first_keys(begin + i);
    rows[i] = parts.first_rows[begin + i];
    valid[k] = parts.deleted.has(rows[i]) ? 0 : 1;
  }
  std::uint32_t valid_in_tile = 0;
  std::uint32_t own_ranks[thread_keys];
  TileScan(scan).ExclusiveSum(valid, own_ranks, valid_in_tile);
#pragma unroll
  for (int k = 0; k < thread_keys; ++k) ranks[threadIdx.x * thread_keys + k] = own_ranks[k];
  if (threadIdx.x == 0) {
    ranks[tile_keys] = valid_in_tile;
    second_begin = begin == 0 ? 0
                              : parts.before(parts.first_keys(begin), parts.first_rows[begin], 0,
                                             parts.second_size);
  }
  if (threadIdx.x == 32)
    second_end =
        end == parts.first_size
            ? parts.second_size
            : parts.before(parts.first_keys(end), parts.first_rows[end], 0, parts.second_size);
  __syncthreads();

  const auto put = [&](std::uint32_t position, std::uint64_t key, std::uint32_t row) {
    out.write(position, key, row);
    const KeyFilter::Bits bits = filter.bits_of(key);
    atomicOr(filter_words + bits.word, bits.bits);
  };
  for (std::uint32_t i = threadIdx.x; i < tile; i += blockDim.x)
    if (ranks[i] != ranks[i + 1])
      put(valid_before + ranks[i] + parts.before(keys[i], rows[i], second_begin, second_end),
          keys[i], rows[i]);
  for (std::uint32_t j = second_begin + threadIdx.x; j < second_end; j += blockDim.x) {
    const std::uint64_t key = parts.second_keys(j);
    const std::uint32_t row = parts.second_rows[j];
    const std::uint32_t at = partition_point(
        0U, tile, [&](std::uint32_t i) { return !parts.is_before(key, row, keys[i], rows[i]); });
    put(valid_before + ranks[at] + j, key, row);
  }
  if (blockIdx.x + 1 == gridDim.x) out.pad(size);
}

[[nodiscard]] bool is_pairs(const OrderPart& part) {
  return part.order == nullptr || part.order->layout() == Layout::pairs;
}

[[nodiscard]] bool rows_ascend(const OrderPart& part) {
  return part.order == nullptr || part.order->rows_ascend();
}

}  // namespace

bool can_merge_few(const OrderPart& first, const OrderPart& second, const MergeTarget& target) {
  return target.layout == Layout::pairs && !target.wants_sources && first.order != nullptr &&
         is_pairs(first) && is_pairs(second) && !second.has_deleted() &&
         second.size() <= max_few_keys && first.size() + second.size() <= max_merged_keys;
}

FewMerged merge_few(const OrderPart& first, const OrderPart& second, const MergeTarget& target,
                    const Queue& queue) {
  MergedParts parts{};
  parts.first_keys = first.order->keys(first.shift);
  parts.first_rows = first.order->rows();
  parts.first_size = static_cast<std::uint32_t>(first.size());
  if (second.order != nullptr) {
    parts.second_keys = second.order->keys(second.shift);
    parts.second_rows = second.order->rows();
  }
  parts.second_size = static_cast<std::uint32_t>(second.size());
  parts.deleted = first.deleted;
  parts.by_row = rows_ascend(first) && rows_ascend(second);
  const unsigned tiles = parts.first_size == 0 ? 1 : (parts.first_size + tile_keys - 1) / tile_keys;

  std::size_t valid = first.size();
  DeviceArray<std::uint32_t> valid_counts;
  if (first.has_deleted()) {
    valid_counts = DeviceArray<std::uint32_t>(queue, tiles);
    PinnedResults<std::uint32_t> counts(queue, tiles);
    count_tiles<<<tiles, block_threads, 0, queue>>>(
        parts.first_rows, parts.first_size, first.deleted, valid_counts.data(), counts.data());
    check_launch(merging_change);
    const std::span<const std::uint32_t> found = counts.read(merging_change);
    valid = std::accumulate(found.begin(), found.end(), std::size_t{0});
  }

  const std::size_t size = valid + second.size();
  const bool is_wide = rtindex::is_wide(target.span);
  DeviceArray<std::uint64_t> words(queue, PairWriter::words_for(size, is_wide));
  DeviceArray<std::uint32_t> filter_words(queue, KeyFilter::words_for(size));
  check(cudaMemsetAsync(filter_words.data(), 0, filter_words.bytes(), queue), "filling memory");
  const KeyFilter filter{filter_words.data(), static_cast<std::uint32_t>(filter_words.size())};
  merge_tiles<<<tiles, block_threads, 0, queue>>>(
      parts, valid_counts.data(), PairWriter{words.data(), is_wide},
      static_cast<std::uint32_t>(size), filter, filter_words.data());
  check_launch(merging_change);
  return {DeviceOrder(std::move(words), size, target.row_count, target.span),
          DeviceFilter(std::move(filter_words))};
}

}  // namespace rtindex::cuda
