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

// Where `keys` are set they are the last starts, of which the first is 0.
template <class Key>
__global__ void gather_queries(const KeyInterval<Key>* starts, const KeyInterval<Key>* ends,
                               const std::uint32_t* keys, const std::uint32_t* numbers,
                               std::size_t count, KeyInterval<Key>* sorted_starts,
                               KeyInterval<Key>* sorted_ends) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  const std::uint32_t number = numbers[i];
  const KeyInterval<Key> end = ends[number];
  sorted_ends[i] = end;
  if (keys == nullptr)
    sorted_starts[i] = starts[number];
  else
    sorted_starts[i] =
        is_empty(end) ? KeyInterval<Key>{1, 0} : KeyInterval<Key>{0, static_cast<Key>(keys[i])};
}

struct PairTarget {
  JoinOutputs out;
  std::uint64_t first_lookup;
};

// Pairs that a warp has found and not written yet. All lanes call its functions.
class PairBuffer {
 public:
  static constexpr unsigned size = 256;
  struct Pairs {
    std::uint32_t queries[size];
    std::uint32_t rows[size];
  };

  __device__ PairBuffer(Pairs& pairs, const PairTarget& target)
      : pairs_(pairs), target_(target), lane_(threadIdx.x % 32) {}

  __device__ void add(bool is_pair, std::uint32_t query, std::uint32_t row) {
    const unsigned lanes = __ballot_sync(~0U, is_pair);
    if (is_pair) {
      const unsigned at = used_ + static_cast<unsigned>(__popc(lanes & ((1U << lane_) - 1)));
      pairs_.queries[at] = query;
      pairs_.rows[at] = row;
    }
    used_ += static_cast<unsigned>(__popc(lanes));
    if (used_ > size - 32) flush();
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
  Run run;
  Key key;
  std::uint32_t number;

  template <bool not_less>
  [[nodiscard]] __device__ bool matches(std::uint32_t position, Key end) const {
    return run.begin <= position && position < run.end && (not_less ? end >= key : end <= key);
  }
  [[nodiscard]] __device__ LaneQuery of_lane(int lane) const {
    return {{__shfl_sync(~0U, run.begin, lane), __shfl_sync(~0U, run.end, lane)},
            __shfl_sync(~0U, key, lane),
            __shfl_sync(~0U, number, lane)};
  }
};

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
        const std::uint32_t position = first + lane;
        std::uint32_t row = miss_row;
        if ((found >> lane & 1) != 0) row = walk.valid(walk.rows[position]);
        const unsigned valid = __ballot_sync(~0U, row != miss_row);
        // Every lane tests its query with one interval after the other, or its interval with one
        // query after the other: whichever are fewer.
        if (__popc(valid) <= __popc(group)) {
          for (unsigned left = valid; left != 0; left &= left - 1) {
            const int one = __ffs(static_cast<int>(left)) - 1;
            const Key its_end = __shfl_sync(~0U, own_end, one);
            const std::uint32_t its_row = __shfl_sync(~0U, row, one);
            const bool is_pair = is_member && own.template matches<not_less>(
                                                  first + static_cast<unsigned>(one), its_end);
            has_rows = has_rows || is_pair;
            pairs.add(is_pair, own.number, its_row);
          }
        } else {
          for (unsigned left = group; left != 0; left &= left - 1) {
            const int one = __ffs(static_cast<int>(left)) - 1;
            const LaneQuery<Key> query = own.of_lane(one);
            const bool is_pair =
                row != miss_row && query.template matches<not_less>(position, own_end);
            if (__any_sync(~0U, is_pair) != 0 && lane == static_cast<unsigned>(one))
              has_rows = true;
            pairs.add(is_pair, query.number, row);
          }
        }
        return false;
      });
  return has_rows;
}

// Every warp joins 32 neighbouring queries.
template <class Walk>
__global__ void __launch_bounds__(block_threads)
    join_kernel(const __grid_constant__ Walk walk, const std::uint32_t* numbers,
                bool keeps_unmatched, const __grid_constant__ PairTarget target) {
  using Key = typename Walk::KeyType;
  __shared__ PairBuffer::Pairs buffers[block_threads / 32];
  PairBuffer pairs(buffers[threadIdx.x / 32], target);
  const std::size_t i = thread_number();
  const bool is_query = i < walk.count;
  LaneQuery<Key> own{{0, 0}, 0, is_query ? numbers[i] : 0};
  if (is_query) {
    const KeyInterval<Key> end = walk.ends[i];
    if (!is_empty(end)) own.run = walk.starts[i];
    own.key = Walk::finds_not_less ? end.lower : end.upper;
  }
  bool has_rows = false;
  for (unsigned left = __ballot_sync(~0U, own.run.begin < own.run.end); left != 0;) {
    const std::uint32_t some_end = __shfl_sync(~0U, own.run.end, __ffs(static_cast<int>(left)) - 1);
    const std::uint32_t apart =
        own.run.end < some_end ? some_end - own.run.end : own.run.end - some_end;
    const unsigned group = left & __ballot_sync(~0U, apart <= near_positions);
    left &= ~group;
    const bool found = join_group(walk, own, group, pairs);
    has_rows = has_rows || found;
  }
  if (keeps_unmatched) pairs.add(is_query && !has_rows, own.number, miss_row);
  pairs.flush();
}

}  // namespace

SortedQueries sort_queries(const DeviceLookups& queries, std::uint64_t span, bool one_sided,
                           const Queue& queue) {
  constexpr int sorted_bits = 24;  // three passes
  const std::size_t count = queries.count;
  const int bits = std::max(1, static_cast<int>(std::bit_width(span)));
  const int shift = std::max(0, bits - 32);
  SortedQueries sorted{DeviceArray<std::uint32_t>(queue, count), {}, {}};
  with_key_type(is_wide(span), [&]<class Key>(Key) {
    const auto* const starts = static_cast<const KeyInterval<Key>*>(queries.intervals);
    DeviceArray<std::uint32_t> keys(queue, count);
    DeviceArray<std::uint32_t> other_keys(queue, count);
    DeviceArray<std::uint32_t> other_numbers(queue, count);
    sort_keys<<<blocks_for(count), block_threads, 0, queue>>>(starts, count, shift, keys.data(),
                                                              sorted.numbers.data());
    check_launch(joining_intervals);
    cub::DoubleBuffer<std::uint32_t> key_buffers(keys.data(), other_keys.data());
    cub::DoubleBuffer<std::uint32_t> number_buffers(sorted.numbers.data(), other_numbers.data());
    const int last_bit = std::min(bits, 32);
    with_scratch(queue, joining_intervals, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, key_buffers, number_buffers,
                                             static_cast<std::int64_t>(count),
                                             std::max(0, last_bit - sorted_bits), last_bit, queue);
    });
    DeviceArray<KeyInterval<Key>> sorted_starts(queue, count);
    DeviceArray<KeyInterval<Key>> sorted_ends(queue, count);
    gather_queries<<<blocks_for(count), block_threads, 0, queue>>>(
        starts, static_cast<const KeyInterval<Key>*>(queries.ends),
        one_sided && shift == 0 ? key_buffers.Current() : nullptr, number_buffers.Current(), count,
        sorted_starts.data(), sorted_ends.data());
    check_launch(joining_intervals);
    if (number_buffers.Current() != sorted.numbers.data())
      sorted.numbers = std::move(other_numbers);
    sorted.starts = sorted_starts.release_bytes();
    sorted.ends = sorted_ends.release_bytes();
  });
  return sorted;
}

void join_walk(const IntervalWalk& walk, const std::uint32_t* numbers, const JoinRequest& join,
               cudaStream_t stream) {
  check(cudaMemsetAsync(join.outputs.count, 0, sizeof(*join.outputs.count), stream),
        joining_intervals);
  if (walk.count == 0) return;
  const PairTarget target{join.outputs, join.first_lookup};
  with_walk(walk, [&](const auto& view) {
    join_kernel<<<blocks_for(walk.count), block_threads, 0, stream>>>(
        view, numbers, join.how == JoinKind::left, target);
  });
}

}  // namespace rtindex::cuda
