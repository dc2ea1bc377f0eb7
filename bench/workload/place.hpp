#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <rtindex/device.hpp>

#include "workload/key_data.hpp"
#include "workload/tasks.hpp"

namespace rtindex::bench {

// Where a workload is made, fired, timed and checked: where the index works, so that no time
// includes a transfer, and nothing large ever travels. A place outlives what was made in it.
class Place {
 public:
  // Sorts batches of lookups in every run.
  class Sorter {
   public:
    virtual ~Sorter() = default;
    virtual void sort(const KeyData& keys, std::size_t count) = 0;
  };

  virtual ~Place() = default;
  [[nodiscard]] virtual rtindex::MemorySpace memory() const = 0;

  [[nodiscard]] virtual std::shared_ptr<void> take(std::size_t bytes) = 0;
  // Within the place, from the host to it, and from it to the host.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  virtual void store(void* to, const void* from_host, std::size_t bytes) = 0;
  virtual void fetch(void* to_host, const void* from, std::size_t bytes) = 0;
  // Overwrites everything with what is neither a sum of 2^31 32-bit values nor the miss value.
  virtual void wipe(void* data, std::size_t bytes) = 0;

  // Does the task for 0 .. count-1.
  virtual void run(const Task& task, std::size_t count) = 0;
  // The places of the keys in ascending order, batch by batch of `batch` keys; equal ones stay in
  // their order.
  virtual void order_by_key(const KeyData& keys, std::size_t count, std::size_t batch,
                            std::uint32_t* order) = 0;
  // sums[i] becomes the sum of the first i values, for 0 .. count.
  virtual void running_sums(const std::uint32_t* values, std::size_t count,
                            std::uint64_t* sums) = 0;
  // The smallest and the greatest.
  [[nodiscard]] virtual std::pair<std::uint64_t, std::uint64_t> ends_of(const KeyData& keys,
                                                                        std::size_t count) = 0;
  // The first place where the two differ; `count` where they are equal.
  [[nodiscard]] virtual std::size_t first_difference(const std::uint64_t* a, const std::uint64_t* b,
                                                     std::size_t count) = 0;

  // For up to `most` keys at a time.
  [[nodiscard]] virtual std::unique_ptr<Sorter> sorter(std::size_t most, int bits) = 0;
  // What sorts here, for the records.
  [[nodiscard]] virtual std::string sorter_name() const = 0;
  // What the work takes until its results are there.
  [[nodiscard]] virtual double milliseconds(const std::function<void()>& work) = 0;
  // Does the work for a profiler of the place's device, which sees nothing before and after it.
  virtual void profile(const std::function<void()>& work) = 0;
};

// Host memory, timed by the clock on the wall.
[[nodiscard]] std::unique_ptr<Place> host_place();
// The memory of the GPU, timed by CUDA events; only where CUDA is built in.
[[nodiscard]] std::unique_ptr<Place> device_place();

}  // namespace rtindex::bench
