#include "engine/cuda/box_kernels.hpp"

#include <algorithm>
#include <bit>

#include "answers/aggregate.hpp"
#include "answers/cuda/deleted_positions.hpp"
#include "answers/cuda/write_matched.cuh"
#include "base/cuda/launch.cuh"
#include "order/cuda/box_walk.cuh"

namespace rtindex::cuda {

namespace {

constexpr const char* doing = "searching points";
constexpr unsigned warps = block_threads / 32;

[[nodiscard]] __device__ unsigned lane_number() { return threadIdx.x % 32; }

// Counts matches, each lane some of them.
template <class Deleted>
struct MatchCounter {
  Deleted deleted;
  std::uint32_t own = 0;

  [[nodiscard]] __device__ static constexpr bool is_full() { return false; }
  __device__ void add_runs(bool has_run, std::uint32_t begin, std::uint32_t end) {
    if (has_run) own += deleted.valid_in(Run{begin, end});
  }
  __device__ void add_hits(std::uint32_t first, std::uint32_t hits) {
    if constexpr (Deleted::any)
      for (std::uint32_t i = 0; i < 4; ++i)
        if ((hits >> i & 1) != 0 && deleted.has(first + i)) hits &= ~(1U << i);
    own += static_cast<std::uint32_t>(__popc(hits));
  }
  [[nodiscard]] __device__ std::uint32_t total() const { return __reduce_add_sync(~0U, own); }
};

// Calls one of the sinks below with each match: take(is_match, position), by all lanes.
template <class Sink, class Deleted>
__device__ void take_runs(Sink& sink, const Deleted& deleted, bool has_run, std::uint32_t begin,
                          std::uint32_t end) {
  for (unsigned left = __ballot_sync(~0U, has_run); left != 0 && !sink.is_full();
       left &= left - 1) {
    const int from = __ffs(static_cast<int>(left)) - 1;
    const std::uint32_t first = __shfl_sync(~0U, begin, from);
    const std::uint32_t size = __shfl_sync(~0U, end, from) - first;
    for (std::uint64_t i = 0; i < size && !sink.is_full(); i += 32) {
      const std::uint64_t at = i + lane_number();
      const auto position = static_cast<std::uint32_t>(first + at);
      sink.take(at < size && !deleted.has(position), position);
    }
  }
}
template <class Sink, class Deleted>
__device__ void take_hits(Sink& sink, const Deleted& deleted, std::uint32_t first,
                          std::uint32_t hits) {
  if (!__any_sync(~0U, hits != 0)) return;
  for (std::uint32_t i = 0; i < 4 && !sink.is_full(); ++i)
    sink.take((hits >> i & 1) != 0 && !deleted.has(first + i), first + i);
}

// Counts matches up to a limit.
template <class Deleted>
struct LimitedCounter {
  Deleted deleted;
  std::uint32_t limit;
  std::uint32_t count = 0;  // the same in all lanes

  [[nodiscard]] __device__ bool is_full() const { return count >= limit; }
  __device__ void add_runs(bool has_run, std::uint32_t begin, std::uint32_t end) {
    take_runs(*this, deleted, has_run, begin, end);
  }
  __device__ void add_hits(std::uint32_t first, std::uint32_t hits) {
    take_hits(*this, deleted, first, hits);
  }
  __device__ void take(bool is_match, std::uint32_t) {
    count += static_cast<std::uint32_t>(__popc(__ballot_sync(~0U, is_match)));
  }
  [[nodiscard]] __device__ std::uint32_t total() const { return count < limit ? count : limit; }
};

// What the rows of a query are folded into; all 0 where there is none.
struct RowFold {
  std::uint32_t matches = 0;
  std::uint32_t any = 0;    // row + 1
  std::uint32_t first = 0;  // ~row
  std::uint32_t last = 0;   // row + 1
};

template <class Deleted>
struct RowFolder {
  Deleted deleted;
  RowsView rows;
  bool one_is_enough;
  bool is_found = false;  // the same in all lanes
  RowFold own;

  [[nodiscard]] __device__ bool is_full() const { return one_is_enough && is_found; }
  __device__ void add_runs(bool has_run, std::uint32_t begin, std::uint32_t end) {
    take_runs(*this, deleted, has_run, begin, end);
  }
  __device__ void add_hits(std::uint32_t first, std::uint32_t hits) {
    take_hits(*this, deleted, first, hits);
  }
  __device__ void take(bool is_match, std::uint32_t position) {
    if (is_match) {
      const std::uint32_t row = rows[position];
      ++own.matches;
      own.any = row + 1;
      own.first = max(own.first, ~row);
      own.last = max(own.last, row + 1);
    }
    if (one_is_enough && __any_sync(~0U, is_match)) is_found = true;
  }
  [[nodiscard]] __device__ RowFold total() const {
    return {__reduce_add_sync(~0U, own.matches), __reduce_max_sync(~0U, own.any),
            __reduce_max_sync(~0U, own.first), __reduce_max_sync(~0U, own.last)};
  }
};

template <class Deleted>
struct MatchWriter {
  Deleted deleted;
  RowsView rows;
  BoxTarget target;
  std::uint64_t at, end;  // the same in all lanes

  [[nodiscard]] __device__ bool is_full() const { return at >= end; }
  __device__ void add_runs(bool has_run, std::uint32_t begin, std::uint32_t last) {
    take_runs(*this, deleted, has_run, begin, last);
  }
  __device__ void add_hits(std::uint32_t first, std::uint32_t hits) {
    take_hits(*this, deleted, first, hits);
  }
  __device__ void take(bool is_match, std::uint32_t position) {
    const unsigned matches = __ballot_sync(~0U, is_match);
    const std::uint64_t own =
        at + static_cast<unsigned>(__popc(matches & ((1U << lane_number()) - 1)));
    if (is_match && own < end) {
      target.rows[own] = rows[position];
      if (target.positions != nullptr) target.positions[own] = position;
    }
    at += static_cast<unsigned>(__popc(matches));
  }
};

// The number of the warp, and its stack.
[[nodiscard]] __device__ std::size_t warp_number() { return thread_number() / 32; }

template <class Walker, class Sink>
__device__ void walk(const Walker& walker, std::size_t number, Sink& sink) {
  __shared__ std::uint64_t stacks[warps][Walker::stack_size];
  walker.walk(number, stacks[threadIdx.x / 32], sink);
}

template <class Walker, class Deleted>
__global__ void __launch_bounds__(block_threads)
    count_alone(const __grid_constant__ Walker walker, std::size_t count, Deleted deleted,
                std::uint32_t* counts) {
  const std::size_t number = warp_number();
  if (number >= count * walker.parts) return;
  MatchCounter<Deleted> counter{deleted};
  walk(walker, number, counter);
  const std::uint32_t total = counter.total();
  if (lane_number() != 0) return;
  if (walker.parts == 1)
    counts[number] = total;
  else if (total != 0)
    atomicAdd(counts + number / walker.parts, total);
}

template <class Walker, class Deleted>
__global__ void __launch_bounds__(block_threads)
    fold_kernel(const __grid_constant__ Walker walker, std::size_t count, Deleted deleted,
                RowsView rows, bool one_is_enough, RowFold* folds) {
  const std::size_t number = warp_number();
  if (number >= count * walker.parts) return;
  RowFolder<Deleted> folder{deleted, rows, one_is_enough, false, {}};
  walk(walker, number, folder);
  const RowFold total = folder.total();
  if (lane_number() != 0 || total.matches == 0) return;
  RowFold& fold = folds[number / walker.parts];
  if (walker.parts == 1) {
    fold = total;
    return;
  }
  atomicAdd(&fold.matches, total.matches);
  atomicMax(&fold.any, total.any);
  atomicMax(&fold.first, total.first);
  atomicMax(&fold.last, total.last);
}

__global__ void write_folds(const RowFold* folds, std::size_t count, DeviceRequest request) {
  const std::size_t i = thread_number();
  const RowFold fold = i < count ? folds[i] : RowFold{};
  if (request.matched != nullptr) write_matched(request.matched, i, count, fold.matches != 0);
  if (i >= count) return;
  // A row + 1 of 0 becomes miss_row.
  static_assert(miss_row == 0xffffffffU);
  if (request.any != nullptr) request.any[i] = fold.any - 1;
  if (request.first != nullptr) request.first[i] = ~fold.first;
  if (request.last != nullptr) request.last[i] = fold.last - 1;
  if (request.count != nullptr) request.count[i] = fold.matches;
}

template <class Walker, class Counter>
__global__ void __launch_bounds__(block_threads)
    size_kernel(const __grid_constant__ Walker walker, std::size_t count, Counter counter,
                Run* sizes) {
  const std::size_t number = warp_number();
  if (number >= count * walker.parts) return;
  walk(walker, number, counter);
  const std::uint32_t total = counter.total();
  if (lane_number() == 0) sizes[number] = {0, total};
}

template <class Walker, class Deleted>
__global__ void __launch_bounds__(block_threads)
    collect_kernel(const __grid_constant__ Walker walker, std::size_t count, Deleted deleted,
                   RowsView rows, BoxTarget target) {
  const std::size_t number = warp_number();
  if (number >= count * walker.parts) return;
  MatchWriter<Deleted> writer{deleted, rows, target, target.offsets[number],
                              target.offsets[number + 1]};
  if (!writer.is_full()) walk(walker, number, writer);
}

__global__ void runs_kernel(const std::uint64_t* offsets, std::size_t queries, std::uint32_t parts,
                            bool sizes_only, Run* runs) {
  const std::size_t i = thread_number();
  if (i >= queries) return;
  const std::uint64_t begin = offsets[i * parts];
  const std::uint64_t end = offsets[(i + 1) * parts];
  runs[i] = {static_cast<std::uint32_t>(sizes_only ? 0 : begin),
             static_cast<std::uint32_t>(sizes_only ? end - begin : end)};
}

// Calls work(walker, deleted) with those of the search.
template <class Work>
void with_walker(const BoxSearch& search, std::uint32_t parts, Work&& work) {
  const BoxTreeView& tree = search.tree->view();
  std::uint32_t wide = 0;
  for (std::uint32_t s = 0; s < search.boxes.count; ++s)
    wide |= tree.points.wide >> search.boxes.sides[s].column & 1;
  // The highest level that has a node for each part.
  std::uint32_t level = tree.levels - 1;
  while (level > 0 && tree.sizes[level] < parts) --level;
  const auto run = [&]<class Key, int max_sides>() {
    const BoxWalker<Key, max_sides> walker{tree, search.boxes, parts,
                                           parts == 1 ? tree.levels - 1 : level};
    with_deleted(search.deleted, [&](auto deleted) { work(walker, deleted); });
  };
  constexpr std::uint32_t few_sides = 3;
  if (search.boxes.count <= few_sides)
    wide != 0 ? run.template operator()<std::uint64_t, few_sides>()
              : run.template operator()<std::uint32_t, few_sides>();
  else
    wide != 0 ? run.template operator()<std::uint64_t, DeviceBoxes::max_sides>()
              : run.template operator()<std::uint32_t, DeviceBoxes::max_sides>();
  check_launch(doing);
}

[[nodiscard]] unsigned blocks_of_warps(const BoxSearch& search, std::uint32_t parts) {
  return blocks_for(search.count * parts * 32);
}

}  // namespace

std::uint32_t parts_of_boxes(const BoxSearch& search, std::uint32_t limit) {
  constexpr std::size_t all_warps = 8192;  // about as many as run at once on a large GPU
  constexpr std::size_t min_parts = 4;
  if (limit != no_limit || search.count == 0) return 1;
  const std::size_t parts = std::min<std::size_t>(
      all_warps / search.count, std::max<std::size_t>(search.tree->view().sizes[0], 1));
  return parts < min_parts ? 1 : static_cast<std::uint32_t>(std::bit_floor(parts));
}

void answer_boxes(const BoxSearch& search, const DeviceRequest& request, const Queue& queue) {
  if (search.count == 0) return;
  const std::uint32_t parts = parts_of_boxes(search, no_limit);
  const unsigned blocks = blocks_of_warps(search, parts);
  const bool counts_alone = request.count != nullptr && request.any == nullptr &&
                            request.first == nullptr && request.last == nullptr &&
                            request.matched == nullptr;
  if (counts_alone) {
    if (parts != 1)
      check(cudaMemsetAsync(request.count, 0, search.count * sizeof(std::uint32_t), queue), doing);
    return with_walker(search, parts, [&](const auto& walker, auto deleted) {
      count_alone<<<blocks, block_threads, 0, queue>>>(walker, search.count, deleted,
                                                       request.count);
    });
  }
  const DeviceArray<RowFold> folds(queue, search.count);
  check(cudaMemsetAsync(folds.data(), 0, folds.bytes(), queue), doing);
  const bool one_is_enough =
      request.first == nullptr && request.last == nullptr && request.count == nullptr;
  with_walker(search, parts, [&](const auto& walker, auto deleted) {
    fold_kernel<<<blocks, block_threads, 0, queue>>>(walker, search.count, deleted, search.rows,
                                                     one_is_enough, folds.data());
  });
  write_folds<<<blocks_for(search.count), block_threads, 0, queue>>>(folds.data(), search.count,
                                                                     request);
  check_launch(doing);
}

void count_boxes(const BoxSearch& search, std::uint32_t parts, std::uint32_t limit, Run* sizes,
                 cudaStream_t stream) {
  if (search.count == 0) return;
  const unsigned blocks = blocks_of_warps(search, parts);
  with_walker(search, parts,
              [&]<class Walker, class Deleted>(const Walker& walker, Deleted deleted) {
                if (limit == no_limit)
                  size_kernel<<<blocks, block_threads, 0, stream>>>(
                      walker, search.count, MatchCounter<Deleted>{deleted}, sizes);
                else
                  size_kernel<<<blocks, block_threads, 0, stream>>>(
                      walker, search.count, LimitedCounter<Deleted>{deleted, limit}, sizes);
              });
}

void collect_boxes(const BoxSearch& search, std::uint32_t parts, const BoxTarget& target,
                   cudaStream_t stream) {
  if (search.count == 0) return;
  const unsigned blocks = blocks_of_warps(search, parts);
  with_walker(search, parts, [&](const auto& walker, auto deleted) {
    collect_kernel<<<blocks, block_threads, 0, stream>>>(walker, search.count, deleted, search.rows,
                                                         target);
  });
}

void runs_of_parts(const std::uint64_t* offsets, std::size_t queries, std::uint32_t parts,
                   bool sizes_only, Run* runs, cudaStream_t stream) {
  if (queries == 0) return;
  runs_kernel<<<blocks_for(queries), block_threads, 0, stream>>>(offsets, queries, parts,
                                                                 sizes_only, runs);
  check_launch(doing);
}

}  // namespace rtindex::cuda
