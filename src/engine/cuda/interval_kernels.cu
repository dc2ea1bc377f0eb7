#include "engine/cuda/interval_kernels.hpp"

#include "answers/aggregate.hpp"
#include "answers/cuda/write_matched.cuh"
#include "answers/values.hpp"
#include "base/cuda/launch.cuh"
#include "engine/cuda/interval_walk.cuh"
#include "keys/cuda/element_bits.cuh"
#include "keys/cuda/tuple_validity.cuh"

namespace rtindex::cuda {

namespace {

constexpr const char* doing = "searching intervals";

template <class Key>
__global__ void drop_empty(const __grid_constant__ QueryEnds compared, KeyInterval<Key>* starts,
                           KeyInterval<Key>* ends, std::size_t count) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  bool is_query = !is_empty(starts[i]) && !is_empty(ends[i]);
  if (is_query && compared.lower.data != nullptr) {
    const std::uint64_t lower = bits_of(compared.lower, i);
    const std::uint64_t upper = bits_of(compared.upper, i);
    is_query = lower < upper || (lower == upper && compared.may_be_equal);
  }
  if (is_query) return;
  starts[i] = {1, 0};
  ends[i] = {1, 0};
}

template <class Key>
__global__ void complement(const KeyInterval<Key>* ends, std::size_t count,
                           KeyInterval<Key>* before) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  const KeyInterval<Key> end = ends[i];
  before[i] = is_empty(end) || end.lower == 0
                  ? KeyInterval<Key>{1, 0}
                  : KeyInterval<Key>{0, static_cast<Key>(end.lower - 1)};
}

__global__ void subtract(RankTotals up_to, RankTotals before, std::size_t count, std::uint64_t miss,
                         DeviceRequest request) {
  const std::size_t i = thread_number();
  const std::uint32_t matches = i < count ? up_to.counts[i] - before.counts[i] : 0;
  if (request.matched != nullptr) write_matched(request.matched, i, count, matches != 0);
  if (i >= count) return;
  if (request.count != nullptr) request.count[i] = matches;
  if (request.sum != nullptr)
    static_cast<std::uint64_t*>(request.sum)[i] =
        matches == 0 ? miss : up_to.sums[i] - before.sums[i];
}

template <class Walk>
__global__ void __launch_bounds__(block_threads)
    answer_kernel(const __grid_constant__ Walk walk, DeviceRequest request, bool one_is_enough) {
  const std::size_t i = thread_number();
  std::uint32_t any = miss_row;
  std::uint32_t first = miss_row;
  std::uint32_t last = miss_row;
  std::uint32_t matches = 0;
  if (i < walk.count)
    walk.for_each(i, [&](std::uint32_t, std::uint32_t row) {
      any = row;
      first = min(first, row);
      last = Last{}(last, row);
      ++matches;
      return one_is_enough;
    });
  if (request.matched != nullptr) write_matched(request.matched, i, walk.count, matches != 0);
  if (i >= walk.count) return;
  if (request.any != nullptr) request.any[i] = any;
  if (request.first != nullptr) request.first[i] = first;
  if (request.last != nullptr) request.last[i] = last;
  if (request.count != nullptr) request.count[i] = matches;
}

template <class Walk>
__global__ void __launch_bounds__(block_threads)
    count_kernel(const __grid_constant__ Walk walk, std::uint32_t limit, Run* sizes) {
  const std::size_t i = thread_number();
  if (i >= walk.count) return;
  std::uint32_t matches = 0;
  if (limit != 0)
    walk.for_each(i, [&](std::uint32_t, std::uint32_t) { return ++matches == limit; });
  sizes[i] = {0, matches};
}

template <class Walk>
__global__ void __launch_bounds__(block_threads)
    collect_kernel(const __grid_constant__ Walk walk, const __grid_constant__ MatchTarget target,
                   Run* runs) {
  const std::size_t i = thread_number();
  if (i >= walk.count) return;
  const std::uint64_t begin = target.offsets[i];
  std::uint64_t at = target.offsets[i + 1];
  runs[i] = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at)};
  if (at == begin) return;
  // Matches come from the last to the first.
  walk.for_each(i, [&](std::uint32_t position, std::uint32_t row) {
    --at;
    target.rows[at] = row;
    if (target.positions != nullptr) target.positions[at] = position;
    if (target.keys != nullptr) target.keys[at] = target.keys_in_order(position);
    return at == begin;
  });
}

// Every warp checks 32 neighbouring intervals and writes their word.
__global__ void check_kernel(const __grid_constant__ DeviceTuples intervals, bool closed,
                             std::uint64_t largest, std::uint32_t* kept, IntervalFacts* facts) {
  const DeviceElements start{intervals.end.fields[0], intervals.end.types[0], nullptr, 0,
                             intervals.size};
  const DeviceElements end{intervals.end.fields[1], intervals.end.types[1], nullptr, 0,
                           intervals.size};
  const std::size_t rounded = (intervals.size + 31) / 32 * 32;
  unsigned long long kept_here = 0;
  unsigned long long valid_here = 0;
  for (std::size_t i = thread_number(); i < rounded; i += thread_count()) {
    const bool is_valid = i < intervals.size && is_valid_tuple(intervals, i);
    bool is_kept = false;
    if (is_valid) {
      const std::uint64_t from = bits_of(start, i);
      const std::uint64_t to = bits_of(end, i);
      if (from > to || to > largest) facts->is_wrong = 1;
      is_kept = closed || from != to;
    }
    const unsigned kept_bits = __ballot_sync(~0U, is_kept);
    const unsigned valid_bits = __ballot_sync(~0U, is_valid);
    if (threadIdx.x % 32 != 0) continue;
    kept[i / 32] = kept_bits;
    kept_here += static_cast<unsigned>(__popc(kept_bits));
    valid_here += static_cast<unsigned>(__popc(valid_bits));
  }
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&facts->kept, kept_here);
  atomicAdd(&facts->valid, valid_here);
}

}  // namespace

void drop_empty_queries(const QueryEnds& compared, void* starts, void* ends, std::size_t count,
                        bool wide, cudaStream_t stream) {
  if (count == 0) return;
  with_key_type(wide, [&]<class Key>(Key) {
    drop_empty<<<blocks_for(count), block_threads, 0, stream>>>(
        compared, static_cast<KeyInterval<Key>*>(starts), static_cast<KeyInterval<Key>*>(ends),
        count);
  });
  check_launch(doing);
}

void find_ends_before(const void* ends, std::size_t count, bool wide, void* before,
                      cudaStream_t stream) {
  if (count == 0) return;
  with_key_type(wide, [&]<class Key>(Key) {
    complement<<<blocks_for(count), block_threads, 0, stream>>>(
        static_cast<const KeyInterval<Key>*>(ends), count, static_cast<KeyInterval<Key>*>(before));
  });
  check_launch(doing);
}

void subtract_ranks(const RankTotals& up_to, const RankTotals& before, std::size_t count,
                    const DeviceRequest& request, cudaStream_t stream) {
  if (count == 0) return;
  const std::uint64_t miss = class_of(request.value_type) == ValueClass::i64
                                 ? static_cast<std::uint64_t>(request.miss.i64)
                                 : request.miss.u64;
  subtract<<<blocks_for(count), block_threads, 0, stream>>>(up_to, before, count, miss, request);
  check_launch(doing);
}

void answer_walk(const IntervalWalk& walk, const DeviceRequest& request, cudaStream_t stream) {
  if (walk.count == 0) return;
  const bool one_is_enough =
      request.first == nullptr && request.last == nullptr && request.count == nullptr;
  with_walk(walk, [&](const auto& view) {
    answer_kernel<<<blocks_for(walk.count), block_threads, 0, stream>>>(view, request,
                                                                        one_is_enough);
  });
}

void count_matches(const IntervalWalk& walk, std::uint32_t limit, Run* sizes, cudaStream_t stream) {
  if (walk.count == 0) return;
  with_walk(walk, [&](const auto& view) {
    count_kernel<<<blocks_for(walk.count), block_threads, 0, stream>>>(view, limit, sizes);
  });
}

void collect_matches(const IntervalWalk& walk, const MatchTarget& target, Run* runs,
                     cudaStream_t stream) {
  if (walk.count == 0) return;
  with_walk(walk, [&](const auto& view) {
    collect_kernel<<<blocks_for(walk.count), block_threads, 0, stream>>>(view, target, runs);
  });
}

IntervalFacts check_intervals(const DeviceTuples& intervals, bool closed, std::uint64_t largest,
                              std::uint32_t* kept, const Queue& queue) {
  IntervalFacts facts;
  if (intervals.size == 0) return facts;
  const DeviceArray<IntervalFacts> on_device(queue, 1);
  check(cudaMemsetAsync(on_device.data(), 0, on_device.bytes(), queue), doing);
  check_kernel<<<loop_blocks(intervals.size), block_threads, 0, queue>>>(intervals, closed, largest,
                                                                         kept, on_device.data());
  check_launch("checking intervals");
  check(cudaMemcpyAsync(&facts, on_device.data(), sizeof(facts), cudaMemcpyDeviceToHost, queue),
        "copying from the GPU");
  check(cudaStreamSynchronize(queue), "checking intervals");
  return facts;
}

}  // namespace rtindex::cuda
