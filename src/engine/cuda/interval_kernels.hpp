#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "answers/cuda/device_answers.hpp"
#include "answers/cuda/run.hpp"
#include "base/cuda/device_array.hpp"
#include "base/cuda/queue.hpp"
#include "keys/cuda/device_keys.hpp"
#include "order/cuda/device_extent_tree.hpp"
#include "rows/row_bits.hpp"

namespace rtindex::cuda {

struct DeviceLookups;

// Ranges of native points; an end without data is unlimited.
struct NativeRanges {
  DeviceElements lower, upper;
  RangeEnds ends;
};
// Queries of native points.
struct NativeQueries {
  NativeRanges starts, ends;  // of the matches
  NativeRanges own;  // whose ends have one type and are compared; without data: they are not
  NativeMap map{};

  // The queries from number `first` on.
  [[nodiscard]] NativeQueries from(std::size_t first) const;
};
// Encodes the native queries of `lookups` as KeyInterval<Key>s of the starts and of the ends of
// their matches, both empty where there is no match. `starts` and `ends` keep them.
void encode_queries(DeviceLookups& lookups, bool wide, DeviceBytes& starts, DeviceBytes& ends,
                    const Queue& queue);
// Empties both intervals of queries where one of them is empty.
void drop_empty_queries(void* starts, void* ends, std::size_t count, bool wide,
                        cudaStream_t stream);
// The ends before those of the matches.
void find_ends_before(const void* ends, std::size_t count, bool wide, void* before,
                      cudaStream_t stream);

// Counts and sums of all starts up to the matches, and of all ends before these.
struct RankTotals {
  const std::uint32_t* counts = nullptr;
  const std::uint64_t* sums = nullptr;
};
// Answers count, sum and matched by differences.
void subtract_ranks(const RankTotals& up_to, const RankTotals& before, std::size_t count,
                    const DeviceRequest& request, cudaStream_t stream);

// What finds the rows of queries in a tree of ends.
struct IntervalWalk {
  const DeviceExtentTree* tree = nullptr;
  bool wide = false;
  bool not_less = true;         // ends are not less than a key, else not greater
  const Run* starts = nullptr;  // the positions of the matches' starts, and of others
  const void* ends = nullptr;   // KeyInterval<Key>s
  std::size_t count = 0;        // of queries
  RowsView rows;                // in the order of starts
  RowBits deleted;
};

// Answers any, first, last, count and matched.
void answer_walk(const IntervalWalk& walk, const DeviceRequest& request, cudaStream_t stream);
// The number of matches of each query as a run from 0 on, at most `limit`.
void count_matches(const IntervalWalk& walk, std::uint32_t limit, Run* sizes, cudaStream_t stream);

// Where the matches of queries go, in the order of starts; null: not requested.
struct MatchTarget {
  const std::uint64_t* offsets = nullptr;  // of each query, and their total
  std::uint32_t* rows = nullptr;
  std::uint32_t* positions = nullptr;
  std::uint64_t* keys = nullptr;  // the starts
  KeysView keys_in_order;
};
// As many matches of each query as its offsets have room for, and their runs.
void collect_matches(const IntervalWalk& walk, const MatchTarget& target, Run* runs,
                     cudaStream_t stream);

// Native intervals of a build: those with a point are kept.
struct IntervalFacts {
  unsigned long long kept = 0;
  unsigned long long valid = 0;
  std::uint32_t is_wrong = 0;  // an interval ends before it starts, or has an end that is NaN
};
// `largest`: the ordered_bits() of the greatest number, behind which NaN is. Sets the bits of those
// that are kept, in words of 32. Blocks until it is computed.
[[nodiscard]] IntervalFacts check_intervals(const DeviceTuples& intervals, bool closed,
                                            std::uint64_t largest, std::uint32_t* kept,
                                            const Queue& queue);

}  // namespace rtindex::cuda
