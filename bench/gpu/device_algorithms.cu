#include "gpu/device_algorithms.hpp"

#include <thrust/iterator/transform_iterator.h>
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "base/cuda/device_array.hpp"
#include "base/cuda/launch.cuh"
#include "gpu/device_buffer.hpp"

namespace rtindex::bench {

struct DeviceSorter::Buffers {
  DeviceBuffer other, scratch;
};

namespace {

using cuda::block_threads;
using cuda::check;
using cuda::check_launch;
using cuda::loop_blocks;
using cuda::thread_count;
using cuda::thread_number;
using Word = unsigned long long;  // the type of atomics

__global__ void profile_marker() {}

template <class Each>
__global__ void task_kernel(Each each, std::size_t count) {
  for (std::size_t i = thread_number(); i < count; i += thread_count()) each(i);
}

__global__ void min_max_kernel(KeyData keys, std::size_t count, Word* least, Word* most) {
  Word low = ~Word{0};
  Word high = 0;
  for (std::size_t i = thread_number(); i < count; i += thread_count()) {
    const Word key = keys[i];
    low = key < low ? key : low;
    high = key > high ? key : high;
  }
  atomicMin(least, low);
  atomicMax(most, high);
}

__global__ void mismatch_kernel(const std::uint64_t* a, const std::uint64_t* b, std::size_t count,
                                Word* first) {
  for (std::size_t i = thread_number(); i < count; i += thread_count())
    if (a[i] != b[i]) atomicMin(first, Word{i});
}

// A few words that kernels write and the host reads back.
template <int count>
class Words {
 public:
  explicit Words(const Word (&start)[count]) : memory_(sizeof(start)) {
    check(cudaMemcpy(memory_.data(), start, sizeof(start), cudaMemcpyHostToDevice),
          "checking answers");
  }
  [[nodiscard]] Word* at(int i) const { return memory_.as<Word>() + i; }
  void copy_to_host(Word (&to)[count]) const {
    check(cudaMemcpy(to, memory_.data(), sizeof(to), cudaMemcpyDeviceToHost), "checking answers");
  }

 private:
  DeviceBuffer memory_;
};

template <class Call>
void with_scratch(const char* doing, const Call& call) {
  const auto memory = cuda::current_memory();
  cuda::with_scratch({memory, nullptr}, doing, call);
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

// Writes the positions of the keys in ascending order; the keys stay as they are.
template <class Key>
void order_of(const Key* keys, std::size_t count, std::uint32_t* order) {
  const DeviceBuffer sorted(count * sizeof(Key));
  const DeviceBuffer positions(count * sizeof(std::uint32_t));
  number_kernel<<<loop_blocks(count), block_threads>>>(positions.as<std::uint32_t>(), count);
  check_launch("ordering keys");
  with_scratch("ordering keys", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted.as<Key>(),
                                           positions.as<const std::uint32_t>(), order, count);
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

// CUB would add up 32-bit values in 32 bits.
struct Widen {
  __host__ __device__ unsigned long long operator()(std::uint32_t value) const { return value; }
};

template <class Key>
std::size_t scratch_bytes(std::size_t most) {
  std::size_t bytes = 0;
  cub::DoubleBuffer<Key> none(nullptr, nullptr);
  check(cub::DeviceRadixSort::SortKeys(nullptr, bytes, none, most), "sorting lookups");
  return bytes;
}

template <class Key>
void sort_keys(Key* keys, std::size_t count, const DeviceBuffer& other,
               const DeviceBuffer& scratch) {
  cub::DoubleBuffer<Key> buffers(keys, other.as<Key>());
  std::size_t bytes = scratch.bytes();
  check(cub::DeviceRadixSort::SortKeys(scratch.data(), bytes, buffers, count), "sorting lookups");
  if (buffers.Current() != keys)
    check(cudaMemcpyAsync(keys, buffers.Current(), count * sizeof(Key), cudaMemcpyDeviceToDevice),
          "sorting lookups");
}

}  // namespace

void run_on_device(const Task& task, std::size_t count) {
  if (count == 0) return;
  std::visit(
      [&](const auto& each) { task_kernel<<<loop_blocks(count), block_threads>>>(each, count); },
      task);
  check_launch("making a workload");
}

std::pair<std::uint64_t, std::uint64_t> min_max_on_device(const KeyData& keys, std::size_t count) {
  Word ends[2] = {~Word{0}, 0};
  const Words<2> words(ends);
  min_max_kernel<<<loop_blocks(count), block_threads>>>(keys, count, words.at(0), words.at(1));
  check_launch("finding the smallest and largest key");
  words.copy_to_host(ends);
  return {ends[0], ends[1]};
}

std::size_t first_mismatch_on_device(const std::uint64_t* a, const std::uint64_t* b,
                                     std::size_t count) {
  Word first[1] = {count};
  const Words<1> words(first);
  mismatch_kernel<<<loop_blocks(count), block_threads>>>(a, b, count, words.at(0));
  check_launch("checking answers");
  words.copy_to_host(first);
  return first[0];
}

void mark_profiled_point() {
  profile_marker<<<1, 1>>>();
  check_launch("marking a point for a profiler");
}

void order_on_device(const KeyData& keys, std::size_t count, std::size_t batch,
                     std::uint32_t* order) {
  if (count == 0) return;
  if (keys.bits == 32)
    order_of(static_cast<const std::uint32_t*>(keys.data), count, order);
  else
    order_of(static_cast<const unsigned long long*>(keys.data), count, order);
  if (batch < count) group_by_batch(count, batch, order);
}

void prefix_sums_on_device(const std::uint32_t* values, std::size_t count, std::uint64_t* sums) {
  check(cudaMemsetAsync(sums, 0, sizeof(*sums)), "adding up values");
  if (count == 0) return;
  const auto in = thrust::make_transform_iterator(values, Widen{});
  auto* out = reinterpret_cast<unsigned long long*>(sums + 1);
  with_scratch("adding up values", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, count);
  });
}

DeviceSorter::DeviceSorter(std::size_t most, int key_bytes)
    : buffers_(new Buffers{DeviceBuffer(most * static_cast<std::size_t>(key_bytes)),
                           DeviceBuffer(key_bytes == 4 ? scratch_bytes<std::uint32_t>(most)
                                                       : scratch_bytes<unsigned long long>(most))}),
      key_bytes_(key_bytes) {}

DeviceSorter::~DeviceSorter() = default;

void DeviceSorter::sort(void* keys, std::size_t count) {
  if (key_bytes_ == 4)
    sort_keys(static_cast<std::uint32_t*>(keys), count, buffers_->other, buffers_->scratch);
  else
    sort_keys(static_cast<unsigned long long*>(keys), count, buffers_->other, buffers_->scratch);
}

}  // namespace rtindex::bench
