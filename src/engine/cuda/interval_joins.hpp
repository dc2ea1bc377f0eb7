#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "answers/request.hpp"
#include "base/cuda/device_array.hpp"
#include "engine/cuda/interval_kernels.hpp"
#include "engine/cuda/lookup_view.hpp"

namespace rtindex::cuda {

// Queries of intervals in the order of the last start that they match, at least of its highest
// bits: neighbouring queries have almost the same matches.
struct SortedQueries {
  DeviceArray<std::uint32_t> numbers;  // of the queries in the batch
  DeviceBytes starts, ends;            // KeyInterval<Key>s
};

// `span`: the largest encoded key. `one_sided`: all starts before some key match.
[[nodiscard]] SortedQueries sort_queries(const DeviceLookups& queries, std::uint64_t span,
                                         bool one_sided, const Queue& queue);

// Writes the pairs of queries and their rows to device memory, in any order, in one pass. Query i
// of the walk is number numbers[i] of the batch.
void join_walk(const IntervalWalk& walk, const std::uint32_t* numbers, const JoinRequest& join,
               cudaStream_t stream);

}  // namespace rtindex::cuda
