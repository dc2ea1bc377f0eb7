#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <rtindex/device.hpp>
#include <rtindex/spec.hpp>

#include "workload/tasks.hpp"

namespace rtindex::bench {

// Memory and the processor next to it: host or GPU. A workload is generated, run, timed and checked
// in the space of the index, so that no time includes a transfer. A space outlives its arrays.
class ExecutionSpace {
 public:
  // Sorts batches of lookups, with preallocated memory.
  class Sorter {
   public:
    virtual ~Sorter() = default;
    virtual void sort(const KeyData& keys, std::size_t count) = 0;
  };

  // Runs calls independently of other threads: on a stream of its own on a GPU.
  class Queue {
   public:
    virtual ~Queue() = default;
    [[nodiscard]] virtual Stream stream() const = 0;
    // Waits for the work on this stream, and for no other.
    virtual void wait() = 0;
  };

  virtual ~ExecutionSpace() = default;
  [[nodiscard]] virtual MemorySpace memory() const = 0;

  [[nodiscard]] virtual std::shared_ptr<void> allocate(std::size_t bytes) = 0;
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  virtual void copy_from_host(void* to, const void* from_host, std::size_t bytes) = 0;
  virtual void copy_to_host(void* to_host, const void* from, std::size_t bytes) = 0;
  // Overwrites answers with a pattern that is neither a valid sum nor the miss value.
  virtual void poison(void* data, std::size_t bytes) = 0;

  // Runs the task for every i in 0 .. count-1.
  virtual void run(const Task& task, std::size_t count) = 0;
  // The positions of the keys in ascending order, batch by batch of `batch` keys; a stable sort.
  virtual void order_by_key(const KeyData& keys, std::size_t count, std::size_t batch,
                            std::uint32_t* order) = 0;
  // sums[i] = sum of the first i values, for i in 0 .. count.
  virtual void prefix_sums(const std::uint32_t* values, std::size_t count, std::uint64_t* sums) = 0;
  [[nodiscard]] virtual std::pair<std::uint64_t, std::uint64_t> min_max(const KeyData& keys,
                                                                        std::size_t count) = 0;
  // The first position at which the two differ; `count` if they are equal.
  [[nodiscard]] virtual std::size_t first_mismatch(const std::uint64_t* a, const std::uint64_t* b,
                                                   std::size_t count) = 0;

  // For up to `most` keys at a time.
  [[nodiscard]] virtual std::unique_ptr<Sorter> sorter(std::size_t most, int bits) = 0;
  // The sort algorithm, for the records.
  [[nodiscard]] virtual std::string sorter_name() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Queue> queue() = 0;
  // Waits until all work is complete, on every stream.
  virtual void wait() = 0;
  // The time until the results of the work are complete, on the default stream.
  [[nodiscard]] virtual double milliseconds(const std::function<void()>& work) = 0;
  // Runs the work with a profiler of the device switched on.
  virtual void profile(const std::function<void()>& work) = 0;
};

// Host memory, timed by a steady clock.
[[nodiscard]] std::unique_ptr<ExecutionSpace> host_space();
// The memory of the GPU, timed by CUDA events; the host space in builds without CUDA.
[[nodiscard]] std::unique_ptr<ExecutionSpace> device_space();

// The spaces of a machine, created on first use.
class ExecutionSpaces {
 public:
  // The space of the device that an index of this spec runs on.
  [[nodiscard]] ExecutionSpace& for_spec(const Spec& spec) {
    const bool on_gpu = spec.device() == "cuda" || spec.tracer() == "optix";
    std::unique_ptr<ExecutionSpace>& space = on_gpu ? device_ : host_;
    if (!space) space = on_gpu ? device_space() : host_space();
    return *space;
  }

 private:
  std::unique_ptr<ExecutionSpace> host_, device_;
};

}  // namespace rtindex::bench
