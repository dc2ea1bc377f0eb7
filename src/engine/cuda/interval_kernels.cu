#include "engine/cuda/interval_kernels.hpp"

#include "answers/aggregate.hpp"
#include "answers/cuda/write_matched.cuh"
#include "answers/values.hpp"
#include "base/cuda/launch.cuh"
#include "engine/cuda/interval_queries.cuh"
#include "engine/cuda/interval_walk.cuh"
#include "keys/cuda/tuple_validity.cuh"

namespace rtindex::cuda {

namespace {

constexpr const char* searching_intervals = "searching intervals";

template <class Key>
__global__ void encode_kernel(const __grid_constant__ NativeQueries queries, std::size_t count,
                              KeyInterval<Key>* starts, KeyInterval<Key>* ends) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  const EncodedQuery<Key> query = encode_query<Key>(queries, i);
  starts[i] = query.starts;
  ends[i] = query.ends;
}

template <class Key>
__global__ void drop_empty(KeyInterval<Key>* starts, KeyInterval<Key>* ends, std::size_t count) {
  const std::size_t i = thread_number();
  if (i >= count || (!is_empty(starts[i]) && !is_empty(ends[i]))) return;
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

// What the rows of a query are folded into.
struct RowFold {
  std::uint32_t any = miss_row;
  std::uint32_t first = miss_row;
  std::uint32_t last = miss_row;
  std::uint32_t matches = 0;

  __device__ void add(std::uint32_t row) {
    any = row;
    first = min(first, row);
    last = Last{}(last, row);
    ++matches;
  }
  // Every lane gets the fold of all lanes of the warp.
  __device__ void merge_warp() {
    for (int lanes = 16; lanes > 0; lanes /= 2) {
      first = min(first, __shfl_xor_sync(~0U, first, lanes));
      last = Last{}(last, __shfl_xor_sync(~0U, last, lanes));
      matches += __shfl_xor_sync(~0U, matches, lanes);
    }
    any = first;
  }
};

template <class Walk>
__global__ void __launch_bounds__(block_threads)
    answer_kernel(const __grid_constant__ Walk walk, DeviceRequest request, bool one_is_enough) {
  const std::size_t i = thread_number();
  RowFold found;
  if (i < walk.count)
    walk.for_each(i, [&](std::uint32_t, std::uint32_t row) {
      found.add(row);
      return one_is_enough || found.matches == many_matches;
    });
  for_each_long(found.matches == many_matches, i, [&](std::size_t query, bool is_own) {
    RowFold all;
    walk.for_each_by_warp(query, [&](unsigned, std::uint32_t, std::uint32_t row) {
      if (row != miss_row) all.add(row);
      return false;
    });
    all.merge_warp();
    if (is_own) found = all;
  });
  if (request.matched != nullptr) write_matched(request.matched, i, walk.count, found.matches != 0);
  if (i >= walk.count) return;
  if (request.any != nullptr) request.any[i] = found.any;
  if (request.first != nullptr) request.first[i] = found.first;
  if (request.last != nullptr) request.last[i] = found.last;
  if (request.count != nullptr) request.count[i] = found.matches;
}

template <class Walk>
__global__ void __launch_bounds__(block_threads)
    count_kernel(const __grid_constant__ Walk walk, std::uint32_t limit, Run* sizes) {
  const std::size_t i = thread_number();
  std::uint32_t matches = 0;
  if (i < walk.count && limit != 0)
    walk.for_each(i, [&](std::uint32_t, std::uint32_t) {
      return ++matches == limit || matches == many_matches;
    });
  for_each_long(matches == many_matches && matches != limit, i,
                [&](std::size_t query, bool is_own) {
                  std::uint32_t all = 0;
                  walk.for_each_by_warp(query, [&](unsigned some, std::uint32_t, std::uint32_t) {
                    all += static_cast<unsigned>(__popc(some));
                    return all >= limit;
                  });
                  if (is_own) matches = min(all, limit);
                });
  if (i < walk.count) sizes[i] = {0, matches};
}

__device__ void write_match(const MatchTarget& target, std::uint64_t at, std::uint32_t position,
                            std::uint32_t row) {
  target.rows[at] = row;
  if (target.positions != nullptr) target.positions[at] = position;
  if (target.keys != nullptr) target.keys[at] = target.keys_in_order(position);
}

// Matches come from the last to the first.
template <class Walk>
__global__ void __launch_bounds__(block_threads)
    collect_kernel(const __grid_constant__ Walk walk, const __grid_constant__ MatchTarget target,
                   Run* runs) {
  const std::size_t i = thread_number();
  const bool is_query = i < walk.count;
  const std::uint64_t begin = is_query ? target.offsets[i] : 0;
  std::uint64_t at = is_query ? target.offsets[i + 1] : 0;
  if (is_query) runs[i] = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at)};
  const bool is_long = at - begin >= many_matches;
  if (at != begin && !is_long)
    walk.for_each(i, [&](std::uint32_t position, std::uint32_t row) {
      write_match(target, --at, position, row);
      return at == begin;
    });
  for_each_long(is_long, i, [&](std::size_t query, bool) {
    const std::uint64_t first = target.offsets[query];
    std::uint64_t left = target.offsets[query + 1] - first;
    walk.for_each_by_warp(query, [&](unsigned some, std::uint32_t position, std::uint32_t row) {
      // How many of the matches are behind the lane's own, which is the last but so many.
      const unsigned lane = threadIdx.x % 32;
      const auto behind = static_cast<unsigned>(__popc(some >> lane)) - 1U;
      if (row != miss_row && behind < left)
        write_match(target, first + left - 1 - behind, position, row);
      const auto matches = static_cast<unsigned>(__popc(some));
      left -= matches < left ? matches : left;
      return left == 0;
    });
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

NativeQueries NativeQueries::from(std::size_t first) const {
  const auto moved = [&](const DeviceElements& from) {
    DeviceElements elements = from;
    if (from.data != nullptr)
      elements.data = static_cast<const std::byte*>(from.data) + first * from.type.bytes;
    elements.validity_offset += first;
    return elements;
  };
  const auto range = [&](const NativeRanges& from) {
    return NativeRanges{moved(from.lower), moved(from.upper), from.ends};
  };
  return {range(starts), range(ends), range(own), map};
}

void encode_queries(DeviceLookups& lookups, bool wide, DeviceBytes& starts, DeviceBytes& ends,
                    const Queue& queue) {
  const NativeQueries queries = lookups.queries->from(lookups.first_query);
  with_key_type(wide, [&]<class Key>(Key) {
    using Keys = KeyInterval<Key>;
    starts = DeviceBytes(queue, lookups.count * sizeof(Keys));
    ends = DeviceBytes(queue, lookups.count * sizeof(Keys));
    if (lookups.count != 0)
      encode_kernel<<<blocks_for(lookups.count), block_threads, 0, queue>>>(
          queries, lookups.count, static_cast<Keys*>(starts.data()),
          static_cast<Keys*>(ends.data()));
  });
  check_launch(searching_intervals);
  lookups.intervals = starts.data();
  lookups.ends = ends.data();
  lookups.queries = nullptr;
}

void drop_empty_queries(void* starts, void* ends, std::size_t count, bool wide,
                        cudaStream_t stream) {
  if (count == 0) return;
  with_key_type(wide, [&]<class Key>(Key) {
    drop_empty<<<blocks_for(count), block_threads, 0, stream>>>(
        static_cast<KeyInterval<Key>*>(starts), static_cast<KeyInterval<Key>*>(ends), count);
  });
  check_launch(searching_intervals);
}

void find_ends_before(const void* ends, std::size_t count, bool wide, void* before,
                      cudaStream_t stream) {
  if (count == 0) return;
  with_key_type(wide, [&]<class Key>(Key) {
    complement<<<blocks_for(count), block_threads, 0, stream>>>(
        static_cast<const KeyInterval<Key>*>(ends), count, static_cast<KeyInterval<Key>*>(before));
  });
  check_launch(searching_intervals);
}

void subtract_ranks(const RankTotals& up_to, const RankTotals& before, std::size_t count,
                    const DeviceRequest& request, cudaStream_t stream) {
  if (count == 0) return;
  const std::uint64_t miss = class_of(request.value_type) == ValueClass::i64
                                 ? static_cast<std::uint64_t>(request.miss.i64)
                                 : request.miss.u64;
  subtract<<<blocks_for(count), block_threads, 0, stream>>>(up_to, before, count, miss, request);
  check_launch(searching_intervals);
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
  check(cudaMemsetAsync(on_device.data(), 0, on_device.bytes(), queue), searching_intervals);
  check_kernel<<<loop_blocks(intervals.size), block_threads, 0, queue>>>(intervals, closed, largest,
                                                                         kept, on_device.data());
  check_launch("checking intervals");
  check(cudaMemcpyAsync(&facts, on_device.data(), sizeof(facts), cudaMemcpyDeviceToHost, queue),
        "copying from the GPU");
  check(cudaStreamSynchronize(queue), "checking intervals");
  return facts;
}

}  // namespace rtindex::cuda
