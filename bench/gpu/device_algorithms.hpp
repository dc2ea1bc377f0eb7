#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "workload/tasks.hpp"

// The algorithms behind DeviceSpace, on the default stream.

namespace rtindex::bench {

void run_on_device(const Task& task, std::size_t count);

// The positions of the keys in ascending order, batch by batch; a stable sort.
void order_on_device(const KeyData& keys, std::size_t count, std::size_t batch,
                     std::uint32_t* order);

// sums[i] = sum of the first i values, for i in 0 .. count.
void prefix_sums_on_device(const std::uint32_t* values, std::size_t count, std::uint64_t* sums);

// These two synchronise.
[[nodiscard]] std::pair<std::uint64_t, std::uint64_t> min_max_on_device(const KeyData& keys,
                                                                        std::size_t count);
[[nodiscard]] std::size_t first_mismatch_on_device(const std::uint64_t* a, const std::uint64_t* b,
                                                   std::size_t count);

// Launches the kernel profile_marker, which precedes the kernels of every profiled point.
void mark_profiled_point();

// CUB's radix sort of keys in device memory, with preallocated scratch memory.
class DeviceSorter {
 public:
  // For up to `most` keys of 4 or 8 bytes.
  DeviceSorter(std::size_t most, int key_bytes);
  ~DeviceSorter();
  DeviceSorter(const DeviceSorter&) = delete;
  DeviceSorter& operator=(const DeviceSorter&) = delete;
  // Queued on the default stream.
  void sort(void* keys, std::size_t count);

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
  int key_bytes_;
};

}  // namespace rtindex::bench
