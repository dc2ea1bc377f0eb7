#include "gpu/device_tasks.hpp"

#include "base/cuda/launch.cuh"
#include "gpu/device_buffer.hpp"

namespace rtindex::bench {

namespace {

using cuda::block_threads;
using cuda::check;
using cuda::check_launch;
using cuda::loop_blocks;
using cuda::thread_count;
using cuda::thread_number;
using Word = unsigned long long;  // what atomics take

__global__ void profile_marker() {}

template <class Each>
__global__ void task_kernel(Each each, std::size_t count) {
  for (std::size_t i = thread_number(); i < count; i += thread_count()) each(i);
}

__global__ void ends_kernel(KeyData keys, std::size_t count, Word* least, Word* most) {
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

__global__ void difference_kernel(const std::uint64_t* a, const std::uint64_t* b, std::size_t count,
                                  Word* first) {
  for (std::size_t i = thread_number(); i < count; i += thread_count())
    if (a[i] != b[i]) atomicMin(first, Word{i});
}

// A few words that kernels write and the host reads.
template <int count>
class Words {
 public:
  explicit Words(const Word (&start)[count]) : memory_(sizeof(start)) {
    check(cudaMemcpy(memory_.data(), start, sizeof(start), cudaMemcpyHostToDevice),
          "checking answers");
  }
  [[nodiscard]] Word* at(int place) const { return memory_.as<Word>() + place; }
  void fetch(Word (&to)[count]) const {
    check(cudaMemcpy(to, memory_.data(), sizeof(to), cudaMemcpyDeviceToHost), "checking answers");
  }

 private:
  DeviceBuffer memory_;
};

}  // namespace

void run_on_device(const Task& task, std::size_t count) {
  if (count == 0) return;
  std::visit(
      [&](const auto& each) { task_kernel<<<loop_blocks(count), block_threads>>>(each, count); },
      task);
  check_launch("making a workload");
}

std::pair<std::uint64_t, std::uint64_t> ends_on_device(const KeyData& keys, std::size_t count) {
  Word ends[2] = {~Word{0}, 0};
  const Words<2> words(ends);
  ends_kernel<<<loop_blocks(count), block_threads>>>(keys, count, words.at(0), words.at(1));
  check_launch("looking at keys");
  words.fetch(ends);
  return {ends[0], ends[1]};
}

std::size_t first_difference_on_device(const std::uint64_t* a, const std::uint64_t* b,
                                       std::size_t count) {
  Word first[1] = {count};
  const Words<1> words(first);
  difference_kernel<<<loop_blocks(count), block_threads>>>(a, b, count, words.at(0));
  check_launch("checking answers");
  words.fetch(first);
  return first[0];
}

void mark_profiled_point() {
  profile_marker<<<1, 1>>>();
  check_launch("marking a point for a profiler");
}

}  // namespace rtindex::bench
