#include "order/cuda/patch_column.hpp"

#include "base/cuda/launch.cuh"

namespace rtindex::cuda {

namespace {

template <class Key>
__global__ void patch(Key* keys, const std::uint32_t* valid_rows, std::size_t size,
                      const std::uint32_t* rows, const std::uint64_t* new_keys, std::size_t count,
                      std::uint32_t* missing) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  std::size_t position = rows[i];
  if (valid_rows != nullptr) {
    std::size_t low = 0;
    std::size_t high = size;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (valid_rows[middle] < rows[i])
        low = middle + 1;
      else
        high = middle;
    }
    if (low == size || valid_rows[low] != rows[i]) {
      *missing = 1;
      return;
    }
    position = low;
  }
  keys[position] = static_cast<Key>(new_keys[i]);
}

}  // namespace

bool patch_column(DeviceColumn& column, const std::uint32_t* rows, const std::uint64_t* keys,
                  std::size_t count, const Queue& queue) {
  if (column.size == 0 || count == 0) return count == 0;
  const DeviceArray<std::uint32_t> missing(queue, 1);
  check(cudaMemsetAsync(missing.data(), 0, sizeof(std::uint32_t), queue), "filling memory");
  const std::uint32_t* const valid_rows = column.rows.data();
  const unsigned blocks = blocks_for(count);
  if (column.is_wide())
    patch<<<blocks, block_threads, 0, queue>>>(column.wide.data(), valid_rows, column.size, rows,
                                               keys, count, missing.data());
  else
    patch<<<blocks, block_threads, 0, queue>>>(column.narrow.data(), valid_rows, column.size, rows,
                                               keys, count, missing.data());
  check_launch("changing keys");
  std::uint32_t any_missing = 0;
  check(cudaMemcpyAsync(&any_missing, missing.data(), sizeof(any_missing), cudaMemcpyDeviceToHost,
                        queue),
        "copying from the GPU");
  check(cudaStreamSynchronize(queue), "changing keys");
  return any_missing == 0;
}

}  // namespace rtindex::cuda
