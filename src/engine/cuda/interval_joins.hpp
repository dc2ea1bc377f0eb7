#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "answers/request.hpp"
#include "base/cuda/device_array.hpp"
#include "engine/cuda/interval_kernels.hpp"
#include "engine/cuda/lookup_view.hpp"

namespace rtindex::cuda {

// Queries of intervals are sorted by the last start that they match, or by its highest bits:
// neighbouring queries have almost the same matches.

// Queries whose matches are all intervals that start up to a key, and end at or behind another one;
// of keys of 32 bits.
struct PackedQueries {
  static constexpr std::size_t max_count = std::size_t{1} << 31;
  static constexpr std::uint32_t no_match = 1U << 31;

  DeviceArray<std::uint32_t> starts;
  // The least end of the matches << 32 | the number in the batch, with no_match where there is
  // none.
  DeviceArray<std::uint64_t> ends_and_numbers;
};
// `span`: the largest encoded key.
[[nodiscard]] PackedQueries pack_queries(const DeviceLookups& queries, std::uint64_t span,
                                         const Queue& queue);

// Any queries.
struct SortedQueries {
  DeviceArray<std::uint32_t> numbers;  // in the batch
  DeviceBytes starts, ends;            // KeyInterval<Key>s
};
[[nodiscard]] SortedQueries sort_queries(const DeviceLookups& queries, std::uint64_t span,
                                         const Queue& queue);

// Both write the pairs of queries and their rows to device memory, in any order, in one pass.
// `ranks`: how many starts there are up to that of each query.
void join_packed(const IntervalWalk& walk, const PackedQueries& queries, const std::uint32_t* ranks,
                 const JoinRequest& join, cudaStream_t stream);
// Query i of the walk is number numbers[i] of the batch.
void join_walk(const IntervalWalk& walk, const std::uint32_t* numbers, const JoinRequest& join,
               cudaStream_t stream);

}  // namespace rtindex::cuda
