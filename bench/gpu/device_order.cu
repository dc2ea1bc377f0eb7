#include <thrust/iterator/transform_iterator.h>
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "base/cuda/device_array.hpp"
#include "base/cuda/launch.cuh"
#include "gpu/device_buffer.hpp"
#include "gpu/device_tasks.hpp"

namespace rtindex::bench {

namespace {

using cuda::block_threads;
using cuda::check;
using cuda::check_launch;
using cuda::loop_blocks;
using cuda::thread_count;
using cuda::thread_number;

template <class Call>
void with_scratch(const char* doing, const Call& call) {
  cuda::with_scratch(cuda::current_memory(), nullptr, doing, call);
}

__global__ void number_kernel(std::uint32_t* numbers, std::size_t count) {
  for (std::size_t i = thread_number(); i < count; i += thread_count())
    numbers[i] = static_cast<std::uint32_t>(i);
}

__global__ void batch_kernel(const std::uint32_t* order, std::size_t batch, std::uint32_t* batches,
                             std::size_t count) {
  for (std::size_t i = thread_number(); i < count; i += thread_count())
    batches[i] = static_cast<std::uint32_t>(order[i] / batch);
}

// The keys stay as they are; `order` gets their places in ascending order.
template <class Key>
void order_of(const Key* keys, std::size_t count, std::uint32_t* order) {
  const DeviceBuffer sorted(count * sizeof(Key));
  const DeviceBuffer places(count * sizeof(std::uint32_t));
  number_kernel<<<loop_blocks(count), block_threads>>>(places.as<std::uint32_t>(), count);
  check_launch("ordering keys");
  with_scratch("ordering keys", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted.as<Key>(),
                                           places.as<const std::uint32_t>(), order, count);
  });
}

// A stable sort by batch of what is in key order leaves every batch in key order.
void group_by_batch(std::size_t count, std::size_t batch, std::uint32_t* order) {
  const std::size_t bytes_each = count * sizeof(std::uint32_t);
  const DeviceBuffer batches(bytes_each), grouped(bytes_each), by_key(bytes_each);
  check(cudaMemcpyAsync(by_key.data(), order, bytes_each, cudaMemcpyDeviceToDevice),
        "ordering keys");
  batch_kernel<<<loop_blocks(count), block_threads>>>(order, batch, batches.as<std::uint32_t>(),
                                                      count);
  check_launch("ordering keys");
  const int bits = std::bit_width((count - 1) / batch);
  with_scratch("ordering keys", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, batches.as<const std::uint32_t>(),
                                           grouped.as<std::uint32_t>(),
                                           by_key.as<const std::uint32_t>(), order, count, 0, bits);
  });
}

// 32-bit values would be added up in 32 bits.
struct Widen {
  __host__ __device__ unsigned long long operator()(std::uint32_t value) const { return value; }
};

}  // namespace

void order_on_device(const KeyData& keys, std::size_t count, std::size_t batch,
                     std::uint32_t* order) {
  if (count == 0) return;
  if (keys.bits == 32)
    order_of(static_cast<const std::uint32_t*>(keys.data), count, order);
  else
    order_of(static_cast<const unsigned long long*>(keys.data), count, order);
  if (batch < count) group_by_batch(count, batch, order);
}

void running_sums_on_device(const std::uint32_t* values, std::size_t count, std::uint64_t* sums) {
  check(cudaMemsetAsync(sums, 0, sizeof(*sums)), "adding up values");
  if (count == 0) return;
  const auto in = thrust::make_transform_iterator(values, Widen{});
  auto* out = reinterpret_cast<unsigned long long*>(sums + 1);
  with_scratch("adding up values", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, count);
  });
}

}  // namespace rtindex::bench
