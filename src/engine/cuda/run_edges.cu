#include "engine/cuda/run_edges.hpp"

#include "base/cuda/launch.cuh"
#include "order/cuda/order_view.cuh"

namespace rtindex::cuda {

namespace {

// The greatest or smallest valid row with the key at a position of the run.
template <class Deleted>
[[nodiscard]] __device__ std::uint32_t row_of_equal_keys(const KeysView& keys, const RowsView& rows,
                                                         const Deleted& deleted, Run run,
                                                         std::uint32_t at, bool is_last) {
  const std::uint64_t key = keys(at);
  std::uint32_t row = rows[at];
  for (std::uint32_t other = at; run.begin <= other && other < run.end && keys(other) == key;
       is_last ? --other : ++other)
    if (!deleted.has(other)) row = is_last ? max(row, rows[other]) : min(row, rows[other]);
  return row;
}

template <class Deleted>
__global__ void __launch_bounds__(block_threads)
    run_edges_kernel(const Run* runs, std::size_t count, KeysView keys, RowsView rows,
                     Deleted deleted, bool is_last, bool rows_ascend, std::uint32_t* row_out,
                     std::uint64_t* key_out) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  const Run run = runs[i];
  std::uint32_t row = miss_row;
  std::uint64_t key = 0;
  if (run.begin < run.end) {
    const std::uint32_t at = is_last ? deleted.last_valid(run) : deleted.first_valid(run);
    if (at != run.end) {
      key = keys(at);
      row = rows_ascend ? rows[at] : row_of_equal_keys(keys, rows, deleted, run, at, is_last);
    }
  }
  row_out[i] = row;
  if (key_out != nullptr) key_out[i] = key;
}

}  // namespace

void edges_of_runs(const Run* runs, std::size_t count, const DeviceOrder& order,
                   const EdgeTarget& target, cudaStream_t stream) {
  if (count == 0) return;
  with_deleted(target.deleted, [&](auto deleted) {
    run_edges_kernel<<<blocks_for(count), block_threads, 0, stream>>>(
        runs, count, order.keys(), order.rows(), deleted, target.edge == Edge::last,
        order.unique() || order.rows_ascend(), target.rows, target.keys);
  });
  check_launch("looking for the edges of ranges");
}

}  // namespace rtindex::cuda
