#include <algorithm>
#include <cstdint>

#include "base/cuda/launch.cuh"
#include "workload/boxes.hpp"

namespace rtindex::bench {

namespace {

using cuda::block_threads;
using cuda::check;
using cuda::check_launch;
using cuda::thread_count;
using cuda::thread_number;

constexpr std::size_t rows_of_thread = 16;

__global__ void count_rows(BoxScan scan, std::uint32_t* count) {
  std::uint32_t found = 0;
#pragma unroll 4
  for (std::size_t row = thread_number(); row < scan.rows; row += thread_count()) {
    bool is_in = true;
#pragma unroll
    for (std::size_t i = 0; i < BoxScan::max_conditions; ++i)
      if (i < scan.conditions)
        is_in &= scan.columns[i][row] - scan.lower[i] <= scan.upper[i] - scan.lower[i];
    found += is_in ? 1 : 0;
  }
  for (int step = 16; step > 0; step /= 2) found += __shfl_xor_sync(0xffffffffU, found, step);
  if (threadIdx.x % 32 == 0 && found != 0) atomicAdd(count, found);
}

}  // namespace

void scan_box_on_device(const BoxScan& scan, std::uint32_t* count) {
  check(cudaMemsetAsync(count, 0, sizeof(*count)), "scanning a box");
  const std::size_t rows_of_block = rows_of_thread * block_threads;
  const std::size_t blocks =
      std::max<std::size_t>((scan.rows + rows_of_block - 1) / rows_of_block, 1);
  count_rows<<<static_cast<unsigned>(blocks), block_threads>>>(scan, count);
  check_launch("scanning a box");
}

}  // namespace rtindex::bench
