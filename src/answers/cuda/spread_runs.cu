#include "answers/cuda/spread_runs.hpp"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "answers/cuda/aggregate.cuh"
#include "base/cuda/launch.cuh"

namespace rtindex::cuda {

namespace {

using Count = unsigned long long;
using Scan = cub::BlockScan<Count, block_threads>;

// Runs whose matches are counted together, by a block.
constexpr std::size_t thread_runs = 16;
constexpr std::size_t tile_runs = thread_runs * block_threads;

// Warps that share the matches, and the smallest share.
constexpr unsigned workers = 8192;
constexpr Count min_share = 256;

// A warp aggregates a run of this length in about the time of a kernel launch.
constexpr std::uint32_t worth_spreading = 1024;

constexpr std::uint32_t no_lookup = ~std::uint32_t{0};

[[nodiscard]] std::size_t tiles_of_runs(std::size_t count) {
  return (count + tile_runs - 1) / tile_runs;
}

[[nodiscard]] unsigned blocks_of_runs(std::size_t count) {
  const std::size_t tiles = tiles_of_runs(count);
  return static_cast<unsigned>(tiles < 2048 ? tiles : 2048);
}

[[nodiscard]] __device__ Count long_size(Run run) {
  if (run.end < run.begin) return 0;
  const std::uint32_t size = run.end - run.begin;
  return size >= long_run ? size : 0;
}

[[nodiscard]] __device__ std::size_t item_of(std::size_t number, std::size_t item) {
  return number * tile_runs + item * block_threads + threadIdx.x;
}

// `tiles`, unless null, receives the matches of the long runs of each tile.
__global__ void measure_runs(const Run* runs, std::size_t count, Count* tiles, Choice* choice) {
  using Reduce = cub::BlockReduce<Count, block_threads>;
  __shared__ typename Reduce::TempStorage storage;
  Count hits = 0;
  std::uint32_t longest = 0;
  for (std::size_t number = blockIdx.x; number * tile_runs < count; number += gridDim.x) {
    Count in_long = 0;
#pragma unroll
    for (std::size_t item = 0; item < thread_runs; ++item) {
      const std::size_t i = item_of(number, item);
      const Run run = i < count ? runs[i] : Run{0, 0};
      const std::uint32_t size = run.end - run.begin;
      hits += size;
      longest = max(longest, size);
      in_long += long_size(run);
    }
    if (tiles == nullptr) continue;
    const Count all = Reduce(storage).Sum(in_long);
    if (threadIdx.x == 0) tiles[number] = all;
    __syncthreads();
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    hits += __shfl_down_sync(~0U, hits, lanes);
    longest = max(longest, __shfl_down_sync(~0U, longest, lanes));
  }
  if (threadIdx.x % 32 != 0 || hits == 0) return;
  atomicAdd(&choice->hits, hits);
  atomicMax(&choice->longest, longest);
}

// The faster way by the costs on an H200: 0.026 ns to fetch a value at random and, unless runs are
// spread, at least 12 ns for each match of the longest run, which one warp aggregates; 0.035 ns to
// put a value into key order and add it up, and then two fetches a lookup.
__device__ void decide(Choice& choice, std::size_t size, std::size_t count, bool can_order,
                       bool can_spread) {
  const bool spreads = can_spread && choice.longest >= worth_spreading;
  const double hits = static_cast<double>(choice.hits) * 0.026;
  const double direct =
      spreads ? hits + 5000 : fmax(hits, static_cast<double>(choice.longest) * 12);
  const double ordered =
      static_cast<double>(size) * 0.035 + static_cast<double>(count) * 0.06 + 5000;
  choice.ordered = can_order && ordered < direct ? 1 : 0;
  choice.direct = 1 - choice.ordered;
  choice.spread = choice.direct == 1 && spreads ? 1 : 0;
  choice.row_tree = choice.longest > 4096 || choice.hits > size ? 1 : 0;
  choice.row_scan = 1 - choice.row_tree;
}

// By one block, which also makes prefix sums of the tiles.
__global__ void choose_kernel(Choice* choice, std::size_t size, std::size_t count, bool can_order,
                              Count* tiles, std::size_t tile_count) {
  __shared__ bool spreads;
  if (threadIdx.x == 0) {
    decide(*choice, size, count, can_order, tiles != nullptr);
    spreads = choice->spread != 0;
  }
  __syncthreads();
  if (!spreads) return;
  __shared__ typename Scan::TempStorage storage;
  Count before = 0;
  for (std::size_t first = 0; first < tile_count; first += block_threads) {
    const std::size_t i = first + threadIdx.x;
    Count sum = 0;
    Count all = 0;
    Scan(storage).ExclusiveSum(i < tile_count ? tiles[i] : 0, sum, all);
    if (i < tile_count) tiles[i] = before + sum;
    before += all;
    __syncthreads();
  }
}

// The position of each long run among the matches of all; starts[count] is their number.
__global__ void find_starts(const Run* runs, std::size_t count, const Count* tiles, Count* starts,
                            const std::uint32_t* only_if) {
  if (*only_if == 0) return;
  __shared__ typename Scan::TempStorage storage;
  for (std::size_t number = blockIdx.x; number * tile_runs < count; number += gridDim.x) {
    Count before = tiles[number];
    for (std::size_t item = 0; item < thread_runs; ++item) {
      const std::size_t i = item_of(number, item);
      const Count size = i < count ? long_size(runs[i]) : 0;
      Count sum = 0;
      Count all = 0;
      Scan(storage).ExclusiveSum(size, sum, all);
      if (i < count) starts[i] = before + sum;
      if (i + 1 == count) starts[count] = before + sum + size;
      before += all;
      __syncthreads();
    }
  }
}

// Equal shares of the matches of a batch, one per worker.
struct Shares {
  Count all, each;

  __device__ explicit Shares(Count matches) : all(matches) {
    const Count even = (matches + workers - 1) / workers;
    each = even < min_share ? min_share : (even + 31) / 32 * 32;
  }
  [[nodiscard]] __device__ Count begin(unsigned worker) const { return worker * each; }
  [[nodiscard]] __device__ Count end(unsigned worker) const {
    return min(all, begin(worker) + each);
  }
};

// Partial aggregates of runs shared between workers. A worker has at most two.
template <class Class>
struct Partial {
  ValueAggregate<Class> head;  // of a run that began in an earlier share
  ValueAggregate<Class> tail;  // of a run that begins in this share and ends in a later one
  std::uint32_t tail_lookup;
};

// The lookup of match `at`, which is `from` or a later one: starts[i] <= at < starts[i + 1].
[[nodiscard]] __device__ std::size_t owner_of(const Count* starts, std::size_t count, Count at,
                                              std::size_t from) {
  std::size_t step = 1;
  std::size_t low = from;
  std::size_t high = from;
  while (high < count && starts[high + 1] <= at) {
    low = high + 1;
    high = high + step < count ? high + step : count;
    step *= 2;
  }
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (starts[middle + 1] <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

template <class Class, class Deleted>
__global__ void aggregate_shares(const Run* runs, std::size_t count, RowsView rows, Deleted deleted,
                                 DeviceRequest request, const Count* starts,
                                 Partial<Class>* partials, const std::uint32_t* only_if) {
  if (*only_if == 0) return;
  const Values<Class> values{request.values, request.value_type};
  const auto miss = miss_as<Class>(request.miss);
  const auto worker = static_cast<unsigned>(thread_number() / 32);
  const bool first_lane = threadIdx.x % 32 == 0;
  const Shares shares(starts[count]);
  Partial<Class>& partial = partials[worker];
  if (first_lane) partial.tail_lookup = no_lookup;
  Count at = shares.begin(worker);
  const Count end = shares.end(worker);
  for (std::size_t lookup = 0; at < end;) {
    lookup = owner_of(starts, count, at, lookup);
    const Count run_begin = starts[lookup];
    const Count run_end = starts[lookup + 1];
    const Count stop = min(end, run_end);
    const Count position = runs[lookup].begin + (at - run_begin);
    const ValueAggregate<Class> part =
        aggregate_by_warp(values, rows, deleted, position, position + (stop - at));
    if (first_lane) {
      if (at != run_begin) {
        partial.head = part;
      } else if (stop != run_end) {
        partial.tail = part;
        partial.tail_lookup = static_cast<std::uint32_t>(lookup);
      } else {
        write_values(request, lookup, part.or_miss(deleted.valid_in(runs[lookup]) != 0, miss));
      }
    }
    at = stop;
  }
}

// Merges the partial aggregates of each run, always in the same order, for the sake of floats.
template <class Class, class Deleted>
__global__ void join_shares(const Run* runs, std::size_t count, Deleted deleted,
                            DeviceRequest request, const Count* starts,
                            const Partial<Class>* partials, const std::uint32_t* only_if) {
  if (*only_if == 0) return;
  const auto worker = static_cast<unsigned>(thread_number() / 32);
  const std::uint32_t lookup = partials[worker].tail_lookup;
  if (lookup == no_lookup) return;
  const unsigned lane = threadIdx.x % 32;
  const Shares shares(starts[count]);
  const auto last = static_cast<unsigned>((starts[lookup + std::size_t{1}] - 1) / shares.each);
  ValueAggregate<Class> whole;
  if (lane == 0) whole = partials[worker].tail;
  for (unsigned part = worker + 1 + lane; part <= last; part += 32)
    whole.merge(partials[part].head);
  whole = merge_warp(whole);
  if (lane == 0)
    write_values(request, lookup,
                 whole.or_miss(deleted.valid_in(runs[lookup]) != 0, miss_as<Class>(request.miss)));
}

[[nodiscard]] Count* counts(std::uint64_t* array) { return reinterpret_cast<Count*>(array); }

}  // namespace

SpreadRuns::SpreadRuns(const Run* runs, std::size_t count, const OrderedRows& from, bool spreads,
                       const Queue& queue)
    : runs_(runs), count_(count), from_(from) {
  constexpr std::size_t choice_bytes = 64;
  constexpr std::size_t partial_bytes = workers * sizeof(Partial<double>);
  static_assert(sizeof(Choice) <= choice_bytes && sizeof(Partial<double>) % 8 == 0 &&
                sizeof(Partial<double>) == sizeof(Partial<std::int64_t>) &&
                sizeof(Partial<double>) == sizeof(Partial<std::uint64_t>));
  const std::size_t numbers = tiles_of_runs(count) + count + 1;
  if (spreads && from.size >= worth_spreading)
    bytes_ = DeviceBytes::if_there_is(
        queue, choice_bytes + partial_bytes + numbers * sizeof(std::uint64_t));
  if (bytes_.null()) {
    bytes_ = DeviceBytes(queue, choice_bytes);
  } else {
    auto* const begin = static_cast<std::byte*>(bytes_.data());
    partials_ = begin + choice_bytes;
    tiles_ = reinterpret_cast<std::uint64_t*>(begin + choice_bytes + partial_bytes);
    starts_ = tiles_ + tiles_of_runs(count);
  }
  choice_ = static_cast<Choice*>(bytes_.data());
  check(cudaMemsetAsync(choice_, 0, sizeof(Choice), queue), "filling memory");
  measure_runs<<<blocks_of_runs(count), block_threads, 0, queue>>>(runs, count, counts(tiles_),
                                                                   choice_);
}

void SpreadRuns::choose(bool can_order, cudaStream_t stream) const {
  choose_kernel<<<1, block_threads, 0, stream>>>(choice_, from_.size, count_, can_order,
                                                 counts(tiles_), tiles_of_runs(count_));
}

void SpreadRuns::aggregate(const DeviceRequest& request, cudaStream_t stream) const {
  if (!can_spread()) return;
  const std::uint32_t* const only_if = &choice_->spread;
  Count* const starts = counts(starts_);
  constexpr unsigned blocks = workers * 32 / block_threads;
  find_starts<<<blocks_of_runs(count_), block_threads, 0, stream>>>(runs_, count_, counts(tiles_),
                                                                    starts, only_if);
  visit_class(class_of(request.value_type), [&]<class Class>() {
    auto* const partials = static_cast<Partial<Class>*>(partials_);
    with_deleted(from_.deleted, [&](const auto& deleted) {
      aggregate_shares<<<blocks, block_threads, 0, stream>>>(runs_, count_, from_.rows, deleted,
                                                             request, starts, partials, only_if);
      join_shares<<<blocks, block_threads, 0, stream>>>(runs_, count_, deleted, request, starts,
                                                        partials, only_if);
    });
  });
}

}  // namespace rtindex::cuda
