#include <tbb/parallel_sort.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include <rtindex/error.hpp>

#include "base/parallel.hpp"
#include "workload/execution_space.hpp"

namespace rtindex::bench {

namespace {

constexpr std::size_t grain = 1 << 14;

template <class Work>
void with_typed(const KeyData& keys, const Work& work) {
  if (keys.bits == 32)
    work(static_cast<std::uint32_t*>(keys.data));
  else
    work(static_cast<std::uint64_t*>(keys.data));
}

class HostSorter : public ExecutionSpace::Sorter {
 public:
  void sort(const KeyData& keys, std::size_t count) override {
    with_typed(keys, [&](auto* first) { tbb::parallel_sort(first, first + count); });
  }
};

// Calls return when they are complete.
class HostQueue : public ExecutionSpace::Queue {
 public:
  [[nodiscard]] Stream stream() const override { return {}; }
  void wait() override {}
};

class HostSpace : public ExecutionSpace {
 public:
  [[nodiscard]] MemorySpace memory() const override { return MemorySpace::host; }

  [[nodiscard]] std::shared_ptr<void> allocate(std::size_t bytes) override {
    return std::shared_ptr<std::uint64_t[]>(new std::uint64_t[bytes / sizeof(std::uint64_t) + 1]());
  }
  void copy(void* to, const void* from, std::size_t bytes) override {
    if (bytes != 0) std::memcpy(to, from, bytes);
  }
  void copy_from_host(void* to, const void* from_host, std::size_t bytes) override {
    copy(to, from_host, bytes);
  }
  void copy_to_host(void* to_host, const void* from, std::size_t bytes) override {
    copy(to_host, from, bytes);
  }
  void poison(void* data, std::size_t bytes) override {
    parallel_for(bytes, std::size_t{1} << 19, [&](std::size_t first, std::size_t count) {
      std::memset(static_cast<char*>(data) + first, 0xa5, count);
    });
  }

  void run(const Task& task, std::size_t count) override {
    std::visit(
        [&](const auto& each) {
          parallel_for(count, grain, [&](std::size_t first, std::size_t many) {
            for (std::size_t i = first; i < first + many; ++i) each(i);
          });
        },
        task);
  }

  void order_by_key(const KeyData& keys, std::size_t count, std::size_t batch,
                    std::uint32_t* order) override {
    std::iota(order, order + count, 0U);
    const std::size_t batches = count == 0 ? 0 : (count + batch - 1) / batch;
    with_typed(keys, [&](const auto* key) {
      parallel_for(batches, 1, [&](std::size_t first, std::size_t many) {
        for (std::size_t number = first; number < first + many; ++number)
          tbb::parallel_sort(order + number * batch, order + std::min(count, (number + 1) * batch),
                             [&](std::uint32_t a, std::uint32_t b) {
                               return key[a] != key[b] ? key[a] < key[b] : a < b;
                             });
      });
    });
  }

  void prefix_sums(const std::uint32_t* values, std::size_t count, std::uint64_t* sums) override {
    sums[0] = 0;
    for (std::size_t i = 0; i < count; ++i) sums[i + 1] = sums[i] + values[i];
  }

  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> min_max(const KeyData& keys,
                                                                std::size_t count) override {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < count; ++i) {
      least = std::min(least, keys[i]);
      most = std::max(most, keys[i]);
    }
    return {least, most};
  }

  [[nodiscard]] std::size_t first_mismatch(const std::uint64_t* a, const std::uint64_t* b,
                                           std::size_t count) override {
    const auto first_in = [&](std::size_t first, std::size_t many) {
      const std::uint64_t* end = a + first + many;
      const std::uint64_t* found = std::mismatch(a + first, end, b + first).first;
      return found == end ? count : static_cast<std::size_t>(found - a);
    };
    return parallel_reduce(count, 1 << 15, count, first_in,
                           [](std::size_t x, std::size_t y) { return std::min(x, y); });
  }

  [[nodiscard]] std::unique_ptr<Sorter> sorter(std::size_t, int) override {
    return std::make_unique<HostSorter>();
  }
  [[nodiscard]] std::string sorter_name() const override { return "tbb::parallel_sort"; }

  [[nodiscard]] std::unique_ptr<Queue> queue() override { return std::make_unique<HostQueue>(); }
  void wait() override {}
  [[nodiscard]] double milliseconds(const std::function<void()>& work) override {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    return elapsed.count();
  }
  void profile(const std::function<void()>&) override {
    throw Error(
        "Nsight Compute profiles GPUs only: pass --index with an index on a GPU, such as "
        "rx:native@cuda");
  }
};

}  // namespace

std::unique_ptr<ExecutionSpace> host_space() { return std::make_unique<HostSpace>(); }

#if !defined(RTINDEX_HAS_CUDA)
std::unique_ptr<ExecutionSpace> device_space() { return host_space(); }
#endif

}  // namespace rtindex::bench
