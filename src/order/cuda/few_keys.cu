#include "order/cuda/few_keys.hpp"

#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_scan.cuh>

#include <utility>

#include "base/cuda/launch.cuh"
#include "base/cuda/pinned_results.hpp"
#include "keys/cuda/element_bits.cuh"
#include "order/cuda/pair_writer.cuh"

namespace rtindex::cuda {

namespace {

constexpr const char* sorting = "sorting the keys of a change";

// Keys that each thread sorts.
constexpr int own_keys = 4;

struct SortedFacts {
  std::uint64_t smallest, largest;
  std::uint64_t first_unfit;
  std::uint32_t valid;
  OrderStats stats;
};

struct Less {
  [[nodiscard]] __device__ bool operator()(std::uint64_t a, std::uint64_t b) const { return a < b; }
};

// The keys as the column has them.
struct KeyReader {
  DeviceElements keys;
  NativeMap map;
  bool converts;

  [[nodiscard]] __device__ std::uint64_t operator()(std::uint32_t i, bool& fits) const {
    if (!converts) return bits_of(keys, i);
    const NewKey key = convert_key(map, keys.data, keys.type, i);
    fits = key.fits;
    return key.bits;
  }
};

// The extent of the keys of a block of threads, in its shared memory.
struct BlockExtent {
  unsigned long long smallest, largest, first_unfit;

  // Called by all threads, after one has called clear(); complete after the next barrier.
  __device__ void add(std::uint64_t low, std::uint64_t high, std::uint64_t unfit) {
    for (int lanes = 16; lanes > 0; lanes /= 2) {
      low = min(low, __shfl_down_sync(~0U, low, lanes));
      high = max(high, __shfl_down_sync(~0U, high, lanes));
      unfit = min(unfit, __shfl_down_sync(~0U, unfit, lanes));
    }
    if (threadIdx.x % 32 != 0) return;
    atomicMin(&smallest, static_cast<unsigned long long>(low));
    atomicMax(&largest, static_cast<unsigned long long>(high));
    atomicMin(&first_unfit, static_cast<unsigned long long>(unfit));
  }
  __device__ void clear() {
    smallest = first_unfit = ~0ULL;
    largest = 0;
  }
};

// Moves the valid keys before the others, in their order, through memory for `count` of them.
__device__ void drop_nulls(std::uint64_t (&bits)[own_keys], std::uint32_t (&elements)[own_keys],
                           const bool (&valid)[own_keys], std::uint32_t before,
                           std::uint32_t valid_count, std::uint32_t count, std::uint64_t* memory) {
  auto* const kept_elements = reinterpret_cast<std::uint32_t*>(memory + count);
#pragma unroll
  for (int k = 0; k < own_keys; ++k) {
    if (!valid[k]) continue;
    memory[before] = bits[k];
    kept_elements[before++] = elements[k];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < own_keys; ++k) {
    const std::uint32_t i = threadIdx.x * own_keys + k;
    bits[k] = i < valid_count ? memory[i] : ~std::uint64_t{0};
    elements[k] = i < valid_count ? kept_elements[i] : 0;
  }
  __syncthreads();
}

// Compares all neighbours that were written; called by all threads of a block.
__device__ OrderStats stats_of(const PairWriter& written, std::uint32_t size) {
  bool equal = false;
  bool descends = false;
  for (std::uint32_t i = threadIdx.x; i + 1 < size; i += blockDim.x) {
    if (written.key(i) != written.key(i + 1)) continue;
    equal = true;
    descends |= written.row(i) > written.row(i + 1);
  }
  const int any_equal = __syncthreads_or(equal ? 1 : 0);
  const int any_descends = __syncthreads_or(descends ? 1 : 0);
  return {size == 0 ? 0 : written.key(size - 1), any_equal != 0 ? 1U : 0U,
          any_descends != 0 ? 1U : 0U};
}

// One block. The memory has room for `keys.size` keys of 8 bytes in KeyBlocks.
template <int threads>
__global__ void __launch_bounds__(threads)
    sort_keys(KeyReader reader, RowIds ids, std::uint64_t* words, SortedFacts* facts) {
  using Scan = cub::BlockScan<std::uint32_t, threads>;
  using Sort = cub::BlockMergeSort<std::uint64_t, threads, own_keys, std::uint32_t>;
  __shared__ union {
    typename Scan::TempStorage scan;
    typename Sort::TempStorage sort;
  } shared;
  __shared__ BlockExtent extent;
  if (threadIdx.x == 0) extent.clear();
  __syncthreads();

  const auto count = static_cast<std::uint32_t>(reader.keys.size);
  std::uint64_t bits[own_keys];
  std::uint32_t elements[own_keys];
  bool valid[own_keys];
  std::uint64_t low = ~std::uint64_t{0};
  std::uint64_t high = 0;
  std::uint64_t unfit = ~std::uint64_t{0};
  std::uint32_t own_valid = 0;
#pragma unroll
  for (int k = 0; k < own_keys; ++k) {
    const std::uint32_t i = threadIdx.x * own_keys + k;
    elements[k] = i;
    bits[k] = ~std::uint64_t{0};
    valid[k] = i < count && is_valid(reader.keys, i);
    if (!valid[k]) continue;
    bool fits = true;
    bits[k] = reader(i, fits);
    low = min(low, bits[k]);
    high = max(high, bits[k]);
    if (!fits) unfit = min(unfit, std::uint64_t{i});
    ++own_valid;
  }
  extent.add(low, high, unfit);
  std::uint32_t before = 0;
  std::uint32_t size = 0;
  Scan(shared.scan).ExclusiveSum(own_valid, before, size);
  __syncthreads();
  if (size != count) drop_nulls(bits, elements, valid, before, size, count, words);
  Sort(shared.sort).StableSort(bits, elements, Less{}, static_cast<int>(size), ~std::uint64_t{0});

  const bool is_wide = size != 0 && rtindex::is_wide(extent.largest - extent.smallest);
  const PairWriter writer{words, is_wide};
#pragma unroll
  for (int k = 0; k < own_keys; ++k) {
    const std::uint32_t i = threadIdx.x * own_keys + k;
    if (i < size) writer.write(i, bits[k] - extent.smallest, ids[elements[k]]);
  }
  writer.pad(size);
  __syncthreads();
  const OrderStats stats = stats_of(writer, size);
  if (threadIdx.x == 0) *facts = {extent.smallest, extent.largest, extent.first_unfit, size, stats};
}

}  // namespace

FewKeys sort_few_keys(const DeviceElements& keys, ElementType column, bool converts, RowIds ids,
                      std::size_t row_count, const Queue& queue) {
  DeviceArray<std::uint64_t> words(queue, PairWriter::words_for(keys.size, true));
  PinnedResults<SortedFacts> facts(queue);
  const KeyReader reader{keys, {column, 0, ~std::uint64_t{0}, false}, converts};
  // Fewer threads pass their barriers in less time.
  constexpr int few_threads = 64;
  constexpr int many_threads = static_cast<int>(max_few_keys) / own_keys;
  if (keys.size <= std::size_t{few_threads} * own_keys)
    sort_keys<few_threads><<<1, few_threads, 0, queue>>>(reader, ids, words.data(), facts.data());
  else
    sort_keys<many_threads><<<1, many_threads, 0, queue>>>(reader, ids, words.data(), facts.data());
  check_launch(sorting);
  const SortedFacts& found = facts.read(sorting).front();
  FewKeys result;
  result.extent = {found.smallest, found.largest, found.valid};
  if (found.first_unfit != ~std::uint64_t{0}) result.unfit = found.first_unfit;
  const std::uint64_t span = found.valid == 0 ? 0 : found.largest - found.smallest;
  result.order = DeviceOrder(std::move(words), found.valid, row_count, span);
  result.order.set_stats(found.stats);
  return result;
}

}  // namespace rtindex::cuda
