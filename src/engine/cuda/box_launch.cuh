#pragma once

#include "base/cuda/launch.cuh"
#include "engine/cuda/box_kernels.hpp"
#include "engine/cuda/box_sinks.cuh"
#include "order/cuda/box_walk.cuh"

// Kernels that walk a tree of points with the sinks of a job: one warp for each query, or several
// blocks of threads, its parts, for each of a few queries.
namespace rtindex::cuda {

template <class Comparer, class Job>
__global__ void __launch_bounds__(block_threads)
    search_by_warp(const __grid_constant__ Comparer comparer, std::size_t count,
                   const __grid_constant__ Job job) {
  __shared__ std::uint64_t stacks[block_threads / 32][box_stack_size];
  const std::size_t query = thread_number() / 32;
  if (query >= count) return;
  const typename Comparer::Bounds box(comparer.boxes, query);
  auto sink = job.start(query);
  if (!box.is_empty && comparer.tree.size != 0) {
    if (box.sides == 0)
      sink.add_runs(lane_number() == 0, 0, comparer.tree.size);
    else
      walk_by_warp(comparer, box, stacks[threadIdx.x / 32], sink);
  }
  job.finish(query, sink);
}

template <class Comparer, class Job>
__global__ void __launch_bounds__(block_threads)
    search_by_block(const __grid_constant__ Comparer comparer, std::uint32_t parts,
                    const __grid_constant__ Job job) {
  __shared__ BoxLists lists;
  __shared__ unsigned long long cursor;
  const std::size_t query = blockIdx.x / parts;
  const std::uint32_t part = blockIdx.x % parts;
  if (threadIdx.x == 0) cursor = 0;
  __syncthreads();
  const typename Comparer::Bounds box(comparer.boxes, query);
  auto sink = job.start_part(query, blockIdx.x, &cursor);
  if (!box.is_empty && comparer.tree.size != 0) {
    if (box.sides == 0) {
      // Without a condition all rows match: each warp has a slice of them.
      constexpr unsigned warps = block_threads / 32;
      const std::uint64_t slices = std::uint64_t{parts} * warps;
      const std::uint64_t slice = std::uint64_t{part} * warps + threadIdx.x / 32;
      const auto begin = static_cast<std::uint32_t>(comparer.tree.size * slice / slices);
      const auto end = static_cast<std::uint32_t>(comparer.tree.size * (slice + 1) / slices);
      sink.add_runs(lane_number() == 0 && begin < end, begin, end);
    } else {
      walk_by_block(comparer, box, part, parts, lists, sink);
    }
  }
  job.finish_part(query, blockIdx.x, sink);
}

// Calls work(comparer) with that of the search.
template <class Work>
void with_comparer(const BoxSearch& search, const Work& work) {
  const BoxTreeView& tree = search.tree->view();
  bool is_wide = false;
  for (std::uint32_t s = 0; s < search.boxes.count; ++s)
    is_wide = is_wide || (tree.points.wide >> search.boxes.sides[s].column & 1) != 0;
  constexpr int few_sides = 3;
  constexpr int all_sides = DeviceBoxes::max_sides;
  const bool are_few = search.boxes.count <= few_sides;
  if (is_wide && are_few)
    work(BoxComparer<std::uint64_t, few_sides>{tree, search.boxes});
  else if (is_wide)
    work(BoxComparer<std::uint64_t, all_sides>{tree, search.boxes});
  else if (are_few)
    work(BoxComparer<std::uint32_t, few_sides>{tree, search.boxes});
  else
    work(BoxComparer<std::uint32_t, all_sides>{tree, search.boxes});
}

template <class Job>
void search_by_warps(const BoxSearch& search, const Job& job, cudaStream_t stream) {
  with_comparer(search, [&](const auto& comparer) {
    search_by_warp<<<blocks_for(search.count * 32), block_threads, 0, stream>>>(comparer,
                                                                                search.count, job);
  });
  check_launch("searching points");
}

// `parts`: parts_of_boxes(); 1: by warps.
template <class Job>
void search_in_parts(const BoxSearch& search, std::uint32_t parts, const Job& job,
                     cudaStream_t stream) {
  if (parts == 1) return search_by_warps(search, job, stream);
  with_comparer(search, [&](const auto& comparer) {
    search_by_block<<<static_cast<unsigned>(search.count * parts), block_threads, 0, stream>>>(
        comparer, parts, job);
  });
  check_launch("searching points");
}

}  // namespace rtindex::cuda
