#include "storage/cuda/device_update.hpp"

#include "base/cuda/launch.cuh"

namespace rtindex::cuda {

namespace {

constexpr unsigned long long none = ~0ULL;
constexpr int word_bits = 32;

// The smallest wrong rows.
struct WrongRows {
  unsigned long long beyond = none;
  unsigned long long twice = none;
};

__global__ void mark_rows(const std::uint32_t* rows, std::size_t count, std::size_t row_count,
                          std::uint32_t* named, WrongRows* wrong) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  const std::uint32_t row = rows[i];
  if (row >= row_count) {
    atomicMin(&wrong->beyond, static_cast<unsigned long long>(row));
    return;
  }
  const std::uint32_t bit = std::uint32_t{1} << (row % word_bits);
  if ((atomicOr(&named[row / word_bits], bit) & bit) != 0)
    atomicMin(&wrong->twice, static_cast<unsigned long long>(row));
}

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

std::optional<WrongRow> find_wrong_row(const std::uint32_t* rows, std::size_t count,
                                       std::size_t row_count,
                                       const std::shared_ptr<DeviceMemory>& memory,
                                       cudaStream_t stream) {
  if (count == 0) return std::nullopt;
  const DeviceArray<std::uint32_t> named(memory, row_count / word_bits + 1, stream);
  const DeviceArray<WrongRows> on_device(memory, 1, stream);
  WrongRows wrong;
  check(cudaMemsetAsync(named.data(), 0, named.bytes(), stream), "filling memory");
  check(cudaMemcpyAsync(on_device.data(), &wrong, sizeof(wrong), cudaMemcpyHostToDevice, stream),
        "copying to the GPU");
  mark_rows<<<blocks_for(count), block_threads, 0, stream>>>(rows, count, row_count, named.data(),
                                                             on_device.data());
  check_launch("checking the rows of an update");
  check(cudaMemcpyAsync(&wrong, on_device.data(), sizeof(wrong), cudaMemcpyDeviceToHost, stream),
        "copying from the GPU");
  check(cudaStreamSynchronize(stream), "checking the rows of an update");
  if (wrong.beyond != none) return WrongRow{static_cast<std::uint32_t>(wrong.beyond), false};
  if (wrong.twice != none) return WrongRow{static_cast<std::uint32_t>(wrong.twice), true};
  return std::nullopt;
}

bool patch_column(DeviceColumn& column, const std::uint32_t* rows, const std::uint64_t* keys,
                  std::size_t count, const std::shared_ptr<DeviceMemory>& memory,
                  cudaStream_t stream) {
  const DeviceArray<std::uint32_t> missing(memory, 1, stream);
  check(cudaMemsetAsync(missing.data(), 0, sizeof(std::uint32_t), stream), "filling memory");
  const std::uint32_t* const valid_rows = column.rows.empty() ? nullptr : column.rows.data();
  if (column.size == 0) return count == 0;
  if (column.is_wide())
    patch<<<blocks_for(count), block_threads, 0, stream>>>(
        column.wide.data(), valid_rows, column.size, rows, keys, count, missing.data());
  else
    patch<<<blocks_for(count), block_threads, 0, stream>>>(
        column.narrow.data(), valid_rows, column.size, rows, keys, count, missing.data());
  check_launch("changing keys");
  std::uint32_t any_missing = 0;
  check(cudaMemcpyAsync(&any_missing, missing.data(), sizeof(any_missing), cudaMemcpyDeviceToHost,
                        stream),
        "copying from the GPU");
  check(cudaStreamSynchronize(stream), "changing keys");
  return any_missing == 0;
}

}  // namespace rtindex::cuda
