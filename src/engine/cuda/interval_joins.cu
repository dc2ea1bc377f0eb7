#include "engine/cuda/interval_joins.hpp"

#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "engine/cuda/interval_walk.cuh"

namespace rtindex::cuda {

namespace {

constexpr const char* joining_intervals = "joining intervals";

template <class Key>
__global__ void sort_keys(const KeyInterval<Key>* starts, std::size_t count, int shift,
                          std::uint32_t* keys, std::uint32_t* numbers) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  keys[i] = static_cast<std::uint32_t>(starts[i].upper >> shift);
  numbers[i] = static_cast<std::uint32_t>(i);
}

template <class Key>
__global__ void gather_queries(const KeyInterval<Key>* starts, const KeyInterval<Key>* ends,
                               const std::uint32_t* numbers, std::size_t count,
                               KeyInterval<Key>* sorted_starts, KeyInterval<Key>* sorted_ends) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  const std::uint32_t number = numbers[i];
  sorted_starts[i] = starts[number];
  sorted_ends[i] = ends[number];
}

template <class Queries>
__global__ void pack_kernel(const __grid_constant__ Queries queries, std::size_t count,
                            std::uint32_t* starts, std::uint64_t* ends_and_numbers) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  const EncodedQuery<std::uint32_t> query = queries(i);
  const auto number = static_cast<std::uint32_t>(i);
  const bool is_none = is_empty(query.starts) || is_empty(query.ends);
  starts[i] = query.starts.upper;
  ends_and_numbers[i] =
      std::uint64_t{query.ends.lower} << 32 | (is_none ? number | PackedQueries::no_match : number);
}

struct PairTarget {
  JoinOutputs out;
  std::uint64_t first_lookup;
};

// Pairs that a warp has found and not written yet. All lanes call its functions.
class PairBuffer {
 public:
  static constexpr unsigned size = 512;
  struct Pairs {
    std::uint32_t queries[size];
    std::uint32_t rows[size];
    std::uint32_t own_rows[32];  // of the lanes
  };

  __device__ PairBuffer(Pairs& pairs, const PairTarget& target)
      : pairs_(pairs), target_(target), lane_(threadIdx.x % 32) {}

  // Pairs of the lane's query: `lanes` has a bit for each lane whose row is one.
  __device__ void add(unsigned lanes, std::uint32_t query, std::uint32_t row) {
    if (__any_sync(~0U, lanes != 0) == 0) return;
    pairs_.own_rows[lane_] = row;
    __syncwarp();
    if (!append(lanes, query)) {
      constexpr unsigned half = (1U << size / 32) - 1;  // as many as fit
      static_cast<void>(append(lanes & half, query));
      static_cast<void>(append(lanes & ~half, query));
    }
    __syncwarp();
  }

  __device__ void flush() {
    if (used_ == 0) return;
    __syncwarp();
    unsigned long long first = 0;
    if (lane_ == 0)
      first = atomicAdd(reinterpret_cast<unsigned long long*>(target_.out.count),
                        static_cast<unsigned long long>(used_));
    first = __shfl_sync(~0U, first, 0);
    for (unsigned i = lane_; i < used_ && first + i < target_.out.capacity; i += 32) {
      target_.out.lookups[first + i] = target_.first_lookup + pairs_.queries[i];
      target_.out.rows[first + i] = pairs_.rows[i];
    }
    __syncwarp();
    used_ = 0;
  }

 private:
  // False where there are more than the buffer can hold.
  [[nodiscard]] __device__ bool append(unsigned lanes, std::uint32_t query) {
    const auto own = static_cast<unsigned>(__popc(lanes));
    unsigned up_to = own;
#pragma unroll
    for (unsigned lanes_before = 1; lanes_before < 32; lanes_before *= 2) {
      const unsigned before = __shfl_up_sync(~0U, up_to, lanes_before);
      if (lane_ >= lanes_before) up_to += before;
    }
    const unsigned total = __shfl_sync(~0U, up_to, 31);
    if (total > size) return false;
    if (used_ + total > size) flush();
    for (unsigned at = used_ + up_to - own; lanes != 0; lanes &= lanes - 1, ++at) {
      pairs_.queries[at] = query;
      pairs_.rows[at] = pairs_.own_rows[__ffs(static_cast<int>(lanes)) - 1];
    }
    used_ += total;
    return true;
  }

  Pairs& pairs_;
  const PairTarget& target_;
  unsigned lane_;
  unsigned used_ = 0;
};

// Every lane gets the result.
template <class T, class Choose>
[[nodiscard]] __device__ T reduce_warp(T value, Choose choose) {
  for (int lanes = 16; lanes > 0; lanes /= 2)
    value = choose(value, __shfl_xor_sync(~0U, value, lanes));
  return value;
}

// The queries of a warp whose last starts are at most so many positions apart are searched
// together: what matches one of them mostly matches others.
constexpr std::uint32_t near_positions = 128;

// The query of a lane.
template <class Key>
struct LaneQuery {
  Run run{0, 0};  // the positions of starts that may match
  Key key = 0;    // the least or the greatest end
  std::uint32_t number = 0;
};

// A bit for each position from `first` on that is one of `run`.
[[nodiscard]] __device__ inline unsigned positions_in(const Run& run, std::uint32_t first) {
  const auto before = [&](std::uint32_t end) {
    if (end <= first) return 0U;
    return end - first >= 32 ? ~0U : (1U << (end - first)) - 1;
  };
  return before(run.end) & ~before(run.begin);
}

template <bool not_less, class Key>
[[nodiscard]] __device__ bool matches_end(Key end, Key key) {
  return not_less ? end >= key : end <= key;
}

// The intervals of 32 lanes that match the lane's query, of those in `intervals`. `group`: the
// lanes with a query. Each lane tests its query with one interval after the other, or its interval
// with one query after the other, whichever are fewer.
template <bool not_less, class Key>
[[nodiscard]] __device__ unsigned matches_of(const LaneQuery<Key>& own, Key own_end,
                                             unsigned intervals, unsigned group) {
  const unsigned lane = threadIdx.x % 32;
  unsigned matches = 0;
  if (2 * __popc(group) <= __popc(intervals)) {
    for (unsigned left = group; left != 0; left &= left - 1) {
      const int one = __ffs(static_cast<int>(left)) - 1;
      const unsigned found =
          __ballot_sync(~0U, matches_end<not_less>(own_end, __shfl_sync(~0U, own.key, one)));
      if (lane == static_cast<unsigned>(one)) matches = found;
    }
  } else if (constexpr int few = 10; __popc(intervals) <= few) {
    for (unsigned left = intervals; left != 0; left &= left - 1) {
      const int one = __ffs(static_cast<int>(left)) - 1;
      if (matches_end<not_less>(__shfl_sync(~0U, own_end, one), own.key)) matches |= 1U << one;
    }
  } else {
#pragma unroll
    for (int one = 0; one < 32; ++one)
      if (matches_end<not_less>(__shfl_sync(~0U, own_end, one), own.key)) matches |= 1U << one;
  }
  return matches & intervals;
}

// Finds the matches of the queries of some lanes, `group`. Returns whether the lane's has any.
template <class Walk, class Key>
[[nodiscard]] __device__ bool join_group(const Walk& walk, const LaneQuery<Key>& own,
                                         unsigned group, PairBuffer& pairs) {
  constexpr bool not_less = Walk::finds_not_less;
  const unsigned lane = threadIdx.x % 32;
  const bool is_member = (group >> lane & 1) != 0;
  const auto least = [](auto a, auto b) { return b < a ? b : a; };
  const auto greatest = [](auto a, auto b) { return a < b ? b : a; };
  const std::uint32_t begin = reduce_warp(is_member ? own.run.begin : ~0U, least);
  const std::uint32_t end = reduce_warp(is_member ? own.run.end : 0U, greatest);
  const Key key = not_less ? reduce_warp(is_member ? own.key : static_cast<Key>(~Key{0}), least)
                           : reduce_warp(is_member ? own.key : Key{0}, greatest);
  bool has_rows = false;
  visit_by_warp<not_less>(
      walk.tree, begin, end, key, [&](std::uint32_t first, std::uint32_t found, Key own_end) {
        std::uint32_t row = miss_row;
        if ((found >> lane & 1) != 0) row = walk.valid(walk.rows[first + lane]);
        const unsigned valid = __ballot_sync(~0U, row != miss_row);
        if (valid == 0) return false;
        const unsigned matches = matches_of<not_less>(own, own_end, valid, group) &
                                 (is_member ? positions_in(own.run, first) : 0U);
        has_rows = has_rows || matches != 0;
        pairs.add(matches, own.number, row);
        return false;
      });
  return has_rows;
}

// Readers of sorted queries: read(i, query) is false if query i has no match.
template <class Key, bool not_less>
struct SortedReader {
  const Run* starts;
  const KeyInterval<Key>* ends;
  const std::uint32_t* numbers;

  [[nodiscard]] __device__ bool read(std::size_t i, LaneQuery<Key>& query) const {
    const KeyInterval<Key> end = ends[i];
    query = {starts[i], not_less ? end.lower : end.upper, numbers[i]};
    return !is_empty(end) && query.run.begin < query.run.end;
  }
};
struct PackedReader {
  const std::uint32_t* ranks;
  const std::uint64_t* ends_and_numbers;

  [[nodiscard]] __device__ bool read(std::size_t i, LaneQuery<std::uint32_t>& query) const {
    const std::uint64_t word = ends_and_numbers[i];
    const auto number = static_cast<std::uint32_t>(word);
    query = {
        {0, ranks[i]}, static_cast<std::uint32_t>(word >> 32), number & ~PackedQueries::no_match};
    return (number & PackedQueries::no_match) == 0 && query.run.end != 0;
  }
};

// Every warp joins 32 neighbouring queries.
template <class Walk, class Reader>
__global__ void __launch_bounds__(block_threads)
    join_kernel(const __grid_constant__ Walk walk, const Reader reader, bool keeps_unmatched,
                const __grid_constant__ PairTarget target) {
  __shared__ PairBuffer::Pairs buffers[block_threads / 32];
  PairBuffer pairs(buffers[threadIdx.x / 32], target);
  const std::size_t i = thread_number();
  const bool is_query = i < walk.count;
  LaneQuery<typename Walk::KeyType> own;
  const bool may_match = is_query && reader.read(i, own);
  bool has_rows = false;
  for (unsigned left = __ballot_sync(~0U, may_match); left != 0;) {
    const std::uint32_t some_end = __shfl_sync(~0U, own.run.end, __ffs(static_cast<int>(left)) - 1);
    const std::uint32_t apart =
        own.run.end < some_end ? some_end - own.run.end : own.run.end - some_end;
    const unsigned group = left & __ballot_sync(~0U, apart <= near_positions);
    left &= ~group;
    const bool found = join_group(walk, own, group, pairs);
    has_rows = has_rows || found;
  }
  if (keeps_unmatched) pairs.add(is_query && !has_rows ? 1U : 0U, own.number, miss_row);
  pairs.flush();
}

// Sorts by `keys`, of which the greatest has so many bits.
template <class Value>
void sort_by_highest_bits(DeviceArray<std::uint32_t>& keys, DeviceArray<Value>& values, int bits,
                          const Queue& queue) {
  constexpr int sorted_bits = 24;  // three passes
  const std::size_t count = keys.size();
  DeviceArray<std::uint32_t> other_keys(queue, count);
  DeviceArray<Value> other_values(queue, count);
  cub::DoubleBuffer<std::uint32_t> key_buffers(keys.data(), other_keys.data());
  cub::DoubleBuffer<Value> value_buffers(values.data(), other_values.data());
  with_scratch(queue, joining_intervals, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, key_buffers, value_buffers,
                                           static_cast<std::int64_t>(count),
                                           std::max(0, bits - sorted_bits), bits, queue);
  });
  if (key_buffers.Current() != keys.data()) keys = std::move(other_keys);
  if (value_buffers.Current() != values.data()) values = std::move(other_values);
}

[[nodiscard]] int bits_of_span(std::uint64_t span) {
  return std::max(1, static_cast<int>(std::bit_width(span)));
}

void clear_count(const JoinRequest& join, cudaStream_t stream) {
  check(cudaMemsetAsync(join.outputs.count, 0, sizeof(*join.outputs.count), stream),
        joining_intervals);
}

}  // namespace

PackedQueries pack_queries(const DeviceLookups& queries, std::uint64_t span, const Queue& queue) {
  const std::size_t count = queries.count;
  PackedQueries packed{DeviceArray<std::uint32_t>(queue, count),
                       DeviceArray<std::uint64_t>(queue, count)};
  if (count == 0) return packed;
  with_queries<std::uint32_t>(queries, [&](const auto& reader) {
    pack_kernel<<<blocks_for(count), block_threads, 0, queue>>>(reader, count, packed.starts.data(),
                                                                packed.ends_and_numbers.data());
  });
  check_launch(joining_intervals);
  sort_by_highest_bits(packed.starts, packed.ends_and_numbers, bits_of_span(span), queue);
  return packed;
}

SortedQueries sort_queries(const DeviceLookups& queries, std::uint64_t span, const Queue& queue) {
  const std::size_t count = queries.count;
  const int bits = bits_of_span(span);
  const int shift = std::max(0, bits - 32);
  SortedQueries sorted{DeviceArray<std::uint32_t>(queue, count), {}, {}};
  with_key_type(is_wide(span), [&]<class Key>(Key) {
    const auto* const starts = static_cast<const KeyInterval<Key>*>(queries.intervals);
    DeviceArray<std::uint32_t> keys(queue, count);
    sort_keys<<<blocks_for(count), block_threads, 0, queue>>>(starts, count, shift, keys.data(),
                                                              sorted.numbers.data());
    check_launch(joining_intervals);
    sort_by_highest_bits(keys, sorted.numbers, std::min(bits, 32), queue);
    DeviceArray<KeyInterval<Key>> sorted_starts(queue, count);
    DeviceArray<KeyInterval<Key>> sorted_ends(queue, count);
    gather_queries<<<blocks_for(count), block_threads, 0, queue>>>(
        starts, static_cast<const KeyInterval<Key>*>(queries.ends), sorted.numbers.data(), count,
        sorted_starts.data(), sorted_ends.data());
    check_launch(joining_intervals);
    sorted.starts = sorted_starts.release_bytes();
    sorted.ends = sorted_ends.release_bytes();
  });
  return sorted;
}

void join_packed(const IntervalWalk& walk, const PackedQueries& queries, const std::uint32_t* ranks,
                 const JoinRequest& join, cudaStream_t stream) {
  clear_count(join, stream);
  if (walk.count == 0) return;
  const PairTarget target{join.outputs, join.first_lookup};
  with_valid_rows(walk.deleted, [&]<class Valid>(Valid valid) {
    const Walk<std::uint32_t, true, Valid> view{
        walk.tree->view<std::uint32_t>(), nullptr, nullptr, walk.count, walk.rows, valid};
    join_kernel<<<blocks_for(walk.count), block_threads, 0, stream>>>(
        view, PackedReader{ranks, queries.ends_and_numbers.data()}, join.how == JoinKind::left,
        target);
  });
  check_launch(joining_intervals);
}

void join_walk(const IntervalWalk& walk, const std::uint32_t* numbers, const JoinRequest& join,
               cudaStream_t stream) {
  clear_count(join, stream);
  if (walk.count == 0) return;
  const PairTarget target{join.outputs, join.first_lookup};
  with_walk(walk, [&]<class Walk>(const Walk& view) {
    join_kernel<<<blocks_for(walk.count), block_threads, 0, stream>>>(
        view,
        SortedReader<typename Walk::KeyType, Walk::finds_not_less>{view.starts, view.ends, numbers},
        join.how == JoinKind::left, target);
  });
}

}  // namespace rtindex::cuda
