#include <algorithm>

#include "answers/cuda/write_matched.cuh"
#include "engine/cuda/box_launch.cuh"

// Box queries that are counted, or whose rows are folded.
namespace rtindex::cuda {

namespace {

constexpr const char* searching_points = "searching points";

// Counts matches; counts are 0 before where queries have parts.
struct CountJob {
  DeletedPositions deleted;
  std::uint32_t* counts;
  std::uint32_t stride;  // of the counts
  bool by_part;          // one for each part, else for each query

  [[nodiscard]] __device__ MatchCounter start(std::size_t) const { return {deleted}; }
  __device__ void finish(std::size_t query, const MatchCounter& counter) const {
    const std::uint32_t total = counter.total();
    if (lane_number() == 0) counts[query * stride] = total;
  }
  [[nodiscard]] __device__ MatchCounter start_part(std::size_t, std::size_t,
                                                   unsigned long long*) const {
    return {deleted};
  }
  __device__ void finish_part(std::size_t query, std::size_t part,
                              const MatchCounter& counter) const {
    const std::uint32_t total = counter.total();
    if (lane_number() == 0 && total != 0)
      atomicAdd(counts + (by_part ? part : query) * stride, total);
  }
};

struct LimitedCountJob {
  DeletedPositions deleted;
  std::uint32_t limit;
  Run* sizes;

  [[nodiscard]] __device__ EachMatch<LimitedCounter> start(std::size_t) const {
    return {deleted, {limit}};
  }
  __device__ void finish(std::size_t query, const EachMatch<LimitedCounter>& counter) const {
    if (lane_number() == 0) sizes[query] = {0, counter.taker.total()};
  }
};

// Folds are all 0 before.
struct FoldJob {
  DeletedPositions deleted;
  RowsView rows;
  bool one_is_enough;
  RowFold* folds;

  [[nodiscard]] __device__ EachMatch<RowFolder> start(std::size_t) const {
    return {deleted, {rows, one_is_enough}};
  }
  __device__ void finish(std::size_t query, const EachMatch<RowFolder>& folder) const {
    const RowFold total = folder.taker.total();
    if (lane_number() == 0) folds[query] = total;
  }
  [[nodiscard]] __device__ EachMatch<RowFolder> start_part(std::size_t, std::size_t,
                                                           unsigned long long*) const {
    return {deleted, {rows, one_is_enough}};
  }
  __device__ void finish_part(std::size_t query, std::size_t,
                              const EachMatch<RowFolder>& folder) const {
    const RowFold total = folder.taker.total();
    if (lane_number() != 0 || total.matches == 0) return;
    atomicAdd(&folds[query].matches, total.matches);
    atomicMax(&folds[query].any, total.any);
    atomicMax(&folds[query].first, total.first);
    atomicMax(&folds[query].last, total.last);
  }
};

// Counts the matches of one query, which the last block writes to host memory.
struct SingleCountJob {
  DeletedPositions deleted;
  SingleCount* count;
  std::uint32_t* on_host;

  [[nodiscard]] __device__ MatchCounter start_part(std::size_t, std::size_t,
                                                   unsigned long long*) const {
    return {deleted};
  }
  __device__ void finish_part(std::size_t, std::size_t, const MatchCounter& counter) const {
    const std::uint32_t total = counter.total();
    if (lane_number() == 0 && total != 0) atomicAdd(&count->matches, total);
    __threadfence();
    __syncthreads();
    if (threadIdx.x != 0 || atomicAdd(&count->blocks, 1U) != gridDim.x - 1) return;
    __threadfence();
    *on_host = atomicExch(&count->matches, 0U);
    count->blocks = 0;
    __threadfence_system();
  }
};

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

[[nodiscard]] std::size_t nodes_above_blocks(const BoxTreeView& tree) {
  return tree.sizes[tree.levels > 1 ? 1 : 0];
}

}  // namespace

std::uint32_t parts_of_boxes(const BoxSearch& search, std::uint32_t limit) {
  constexpr std::size_t all_blocks = 1024;  // about as many as run at once on a large GPU
  if (limit != no_limit || search.count == 0) return 1;
  const std::size_t parts =
      std::min(all_blocks / search.count, nodes_above_blocks(search.tree->view()));
  return static_cast<std::uint32_t>(std::max<std::size_t>(parts, 1));
}

void answer_boxes(const BoxSearch& search, const DeviceRequest& request, const Queue& queue) {
  if (search.count == 0) return;
  const std::uint32_t parts = parts_of_boxes(search, no_limit);
  const bool counts_alone = request.count != nullptr && request.any == nullptr &&
                            request.first == nullptr && request.last == nullptr &&
                            request.matched == nullptr;
  if (counts_alone) {
    if (parts != 1)
      check(cudaMemsetAsync(request.count, 0, search.count * sizeof(std::uint32_t), queue),
            searching_points);
    return search_in_parts(search, parts, CountJob{search.deleted, request.count, 1, false}, queue);
  }
  const DeviceArray<RowFold> folds(queue, search.count);
  check(cudaMemsetAsync(folds.data(), 0, folds.bytes(), queue), searching_points);
  const bool one_is_enough =
      request.first == nullptr && request.last == nullptr && request.count == nullptr;
  search_in_parts(search, parts, FoldJob{search.deleted, search.rows, one_is_enough, folds.data()},
                  queue);
  write_folds<<<blocks_for(search.count), block_threads, 0, queue>>>(folds.data(), search.count,
                                                                     request);
  check_launch(searching_points);
}

void count_single_box(const BoxSearch& search, SingleCount* count, std::uint32_t* on_host,
                      cudaStream_t stream) {
  const std::uint32_t parts = parts_of_boxes(search, no_limit);
  with_comparer(search, [&](const auto& comparer) {
    search_by_block<<<parts, block_threads, 0, stream>>>(
        comparer, parts, SingleCountJob{search.deleted, count, on_host});
  });
  check_launch(searching_points);
}

void count_boxes(const BoxSearch& search, std::uint32_t parts, std::uint32_t limit, Run* sizes,
                 cudaStream_t stream) {
  if (search.count == 0) return;
  if (limit != no_limit)
    return search_by_warps(search, LimitedCountJob{search.deleted, limit, sizes}, stream);
  check(cudaMemsetAsync(sizes, 0, search.count * parts * sizeof(Run), stream), searching_points);
  search_in_parts(search, parts, CountJob{search.deleted, &sizes->end, 2, true}, stream);
}

}  // namespace rtindex::cuda
