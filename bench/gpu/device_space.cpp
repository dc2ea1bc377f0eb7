#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include <optional>
#include <utility>

#include "gpu/device_algorithms.hpp"
#include "gpu/device_buffer.hpp"
#include "workload/execution_space.hpp"

namespace rtindex::bench {

namespace {

class Sorts : public ExecutionSpace::Sorter {
 public:
  Sorts(std::size_t most, int bits) : sorter_(most, bits / 8) {}
  void sort(const KeyData& keys, std::size_t count) override { sorter_.sort(keys.data, count); }

 private:
  DeviceSorter sorter_;
};

// A stream that does not synchronise with the default stream.
class DeviceQueue : public ExecutionSpace::Queue {
 public:
  DeviceQueue() {
    // Above the streams of changes, which have the lowest priority, the default of every stream.
    int lowest = 0;
    int highest = 0;
    cuda::check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "querying priorities");
    cuda::check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, highest),
                "creating a stream");
  }
  ~DeviceQueue() override { static_cast<void>(cudaStreamDestroy(stream_)); }
  DeviceQueue(const DeviceQueue&) = delete;
  DeviceQueue& operator=(const DeviceQueue&) = delete;
  [[nodiscard]] Stream stream() const override { return {stream_}; }
  void wait() override { cuda::check(cudaStreamSynchronize(stream_), "waiting for a stream"); }

 private:
  cudaStream_t stream_ = nullptr;
};

class DeviceSpace : public ExecutionSpace {
 public:
  [[nodiscard]] MemorySpace memory() const override { return MemorySpace::device; }

  [[nodiscard]] std::shared_ptr<void> allocate(std::size_t bytes) override {
    auto buffer = std::make_shared<DeviceBuffer>(bytes);
    void* const data = buffer->data();
    return {std::move(buffer), data};
  }
  void copy(void* to, const void* from, std::size_t bytes) override {
    transfer(to, from, bytes, cudaMemcpyDeviceToDevice);
  }
  void copy_from_host(void* to, const void* from_host, std::size_t bytes) override {
    transfer(to, from_host, bytes, cudaMemcpyHostToDevice);
  }
  void copy_to_host(void* to_host, const void* from, std::size_t bytes) override {
    transfer(to_host, from, bytes, cudaMemcpyDeviceToHost);
  }
  void poison(void* data, std::size_t bytes) override {
    cuda::check(cudaMemset(data, 0xa5, bytes), "filling memory");
  }

  void run(const Task& task, std::size_t count) override { run_on_device(task, count); }
  void order_by_key(const KeyData& keys, std::size_t count, std::size_t batch,
                    std::uint32_t* order) override {
    order_on_device(keys, count, batch, order);
  }
  void prefix_sums(const std::uint32_t* values, std::size_t count, std::uint64_t* sums) override {
    prefix_sums_on_device(values, count, sums);
  }
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> min_max(const KeyData& keys,
                                                                std::size_t count) override {
    return min_max_on_device(keys, count);
  }
  [[nodiscard]] std::size_t first_mismatch(const std::uint64_t* a, const std::uint64_t* b,
                                           std::size_t count) override {
    return first_mismatch_on_device(a, b, count);
  }

  [[nodiscard]] std::unique_ptr<Sorter> sorter(std::size_t most, int bits) override {
    return std::make_unique<Sorts>(most, bits);
  }
  [[nodiscard]] std::string sorter_name() const override { return "cub::DeviceRadixSort"; }
  [[nodiscard]] std::unique_ptr<Queue> queue() override { return std::make_unique<DeviceQueue>(); }
  void wait() override { cuda::check(cudaDeviceSynchronize(), "waiting for the GPU"); }
  [[nodiscard]] double milliseconds(const std::function<void()>& work) override {
    if (!clock_) clock_.emplace();
    clock_->start();
    work();
    return clock_->stop();
  }

  void profile(const std::function<void()>& work) override {
    wait();
    cuda::check(cudaProfilerStart(), "starting the profiler");
    mark_profiled_point();
    work();
    wait();
    cuda::check(cudaProfilerStop(), "stopping the profiler");
  }

 private:
  static void transfer(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    if (bytes != 0) cuda::check(cudaMemcpy(to, from, bytes, kind), "copying a workload");
  }

  std::optional<DeviceClock> clock_;  // made on first use
};

}  // namespace

std::unique_ptr<ExecutionSpace> device_space() { return std::make_unique<DeviceSpace>(); }

}  // namespace rtindex::bench
