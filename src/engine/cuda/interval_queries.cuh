#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/cuda/interval_kernels.hpp"
#include "engine/cuda/lookup_view.hpp"
#include "keys/cuda/element_bits.cuh"
#include "keys/interval.hpp"

// Queries of intervals as kernels read them.
namespace rtindex::cuda {

template <class Key>
[[nodiscard]] __device__ bool is_empty(const KeyInterval<Key>& interval) {
  return interval.lower > interval.upper;
}

// A query as two intervals of keys, in which the starts and the ends of its matches lie; both are
// empty where it has none.
template <class Key>
struct EncodedQuery {
  KeyInterval<Key> starts{1, 0};
  KeyInterval<Key> ends{1, 0};
};

[[nodiscard]] __device__ inline Interval encode_range(const NativeRanges& ranges,
                                                      const NativeMap& map, std::size_t i) {
  if (!is_valid(ranges.lower, i) || !is_valid(ranges.upper, i)) return empty_interval;
  return encode_interval(map, ranges.lower.data, ranges.lower.type, ranges.upper.data,
                         ranges.upper.type, i, ranges.ends);
}

template <class Key>
[[nodiscard]] __device__ EncodedQuery<Key> encode_query(const NativeQueries& queries,
                                                        std::size_t i) {
  const Interval starts = encode_range(queries.starts, queries.map, i);
  const Interval ends = encode_range(queries.ends, queries.map, i);
  if (starts.empty() || ends.empty()) return {};
  if (queries.own.lower.data != nullptr) {
    const std::uint64_t lower = bits_of(queries.own.lower, i);
    const std::uint64_t upper = bits_of(queries.own.upper, i);
    if (lower > upper || (lower == upper && queries.own.ends.any_open())) return {};
  }
  return {{static_cast<Key>(starts.lower), static_cast<Key>(starts.upper)},
          {static_cast<Key>(ends.lower), static_cast<Key>(ends.upper)}};
}

// Readers of queries: starts(i) and ends(i) of the matches of query i.
template <class Key>
struct NativeQueryReader {
  NativeQueries queries;

  [[nodiscard]] __device__ EncodedQuery<Key> operator()(std::size_t i) const {
    return encode_query<Key>(queries, i);
  }
  [[nodiscard]] __device__ KeyInterval<Key> starts(std::size_t i) const {
    return (*this)(i).starts;
  }
  [[nodiscard]] __device__ KeyInterval<Key> ends(std::size_t i) const { return (*this)(i).ends; }
};

template <class Key>
struct EncodedQueryReader {
  const KeyInterval<Key>* all_starts;
  const KeyInterval<Key>* all_ends;

  [[nodiscard]] __device__ EncodedQuery<Key> operator()(std::size_t i) const {
    return {all_starts[i], all_ends[i]};
  }
  [[nodiscard]] __device__ KeyInterval<Key> starts(std::size_t i) const { return all_starts[i]; }
  [[nodiscard]] __device__ KeyInterval<Key> ends(std::size_t i) const { return all_ends[i]; }
};

// Encoded keys, up to which all starts are requested.
template <class Key>
struct LastStartReader {
  const Key* keys;

  [[nodiscard]] __device__ KeyInterval<Key> starts(std::size_t i) const { return {0, keys[i]}; }
};

// Calls work(reader) with that of native or of encoded queries.
template <class Key, class Work>
void with_queries(const DeviceLookups& lookups, Work&& work) {
  if (lookups.queries != nullptr)
    work(NativeQueryReader<Key>{lookups.queries->from(lookups.first_query)});
  else
    work(EncodedQueryReader<Key>{static_cast<const KeyInterval<Key>*>(lookups.intervals),
                                 static_cast<const KeyInterval<Key>*>(lookups.ends)});
}

}  // namespace rtindex::cuda
