#include "answers/cuda/count_hits.hpp"

#include <rtindex/answer.hpp>

#include "base/cuda/launch.cuh"

namespace rtindex::cuda {

namespace {

[[nodiscard]] __device__ std::uint64_t hits_in(std::uint32_t row) {
  return row == miss_row ? 0 : 1;
}
[[nodiscard]] __device__ std::uint64_t hits_in(const Run& run) { return run.end - run.begin; }

template <class Found>
__global__ void add_hits(const Found* found, std::size_t lookups, std::uint64_t* hits) {
  std::uint64_t own = 0;
  for (std::size_t i = thread_number(); i < lookups; i += thread_count()) own += hits_in(found[i]);
  if (own != 0) atomicAdd(reinterpret_cast<unsigned long long*>(hits), own);
}

template <class Found>
void launch(const Found* found, std::size_t lookups, std::uint64_t* hits, cudaStream_t stream) {
  add_hits<<<loop_blocks(lookups), block_threads, 0, stream>>>(found, lookups, hits);
  check_launch("counting hits");
}

}  // namespace

void count_hits(const std::uint32_t* rows, std::size_t lookups, std::uint64_t* hits,
                cudaStream_t stream) {
  launch(rows, lookups, hits, stream);
}

void count_hits(const Run* runs, std::size_t lookups, std::uint64_t* hits, cudaStream_t stream) {
  launch(runs, lookups, hits, stream);
}

}  // namespace rtindex::cuda
