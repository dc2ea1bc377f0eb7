#include "tracers/optix/collect_kernels.hpp"

#include "base/cuda/launch.cuh"

namespace rtindex::optix {

namespace {

using cuda::block_threads;
using cuda::blocks_for;
using cuda::Run;

__global__ void from_counts(const std::uint32_t* counts, std::size_t lookups, Run* runs) {
  const std::size_t i = cuda::thread_number();
  if (i < lookups) runs[i] = {0, counts[i]};
}

__global__ void from_offsets(const std::uint64_t* offsets, std::size_t lookups, Run* runs) {
  const std::size_t i = cuda::thread_number();
  if (i < lookups)
    runs[i] = {static_cast<std::uint32_t>(offsets[i]), static_cast<std::uint32_t>(offsets[i + 1])};
}

__global__ void to_rows(const std::uint32_t* rows, std::uint32_t* primitives, std::size_t count) {
  const std::size_t i = cuda::thread_number();
  if (i < count) primitives[i] = rows[primitives[i]];
}

}  // namespace

void runs_of_counts(const std::uint32_t* counts, std::size_t lookups, Run* runs,
                    cudaStream_t stream) {
  if (lookups == 0) return;
  from_counts<<<blocks_for(lookups), block_threads, 0, stream>>>(counts, lookups, runs);
  cuda::check_launch("collecting rowIDs");
}

void runs_of_offsets(const std::uint64_t* offsets, std::size_t lookups, Run* runs,
                     cudaStream_t stream) {
  if (lookups == 0) return;
  from_offsets<<<blocks_for(lookups), block_threads, 0, stream>>>(offsets, lookups, runs);
  cuda::check_launch("collecting rowIDs");
}

void name_rows(const std::uint32_t* rows, std::uint32_t* primitives, std::size_t count,
               cudaStream_t stream) {
  if (count == 0) return;
  to_rows<<<blocks_for(count), block_threads, 0, stream>>>(rows, primitives, count);
  cuda::check_launch("collecting rowIDs");
}

}  // namespace rtindex::optix
