#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "answers/cuda/runs.hpp"

namespace rtindex::cuda {

// Adds the matches of lookups to a counter on the device: rowIDs that are not 2^32 - 1.
void count_hits(const std::uint32_t* rows, std::size_t lookups, std::uint64_t* hits,
                cudaStream_t stream);
// The same for positions.
void count_hits(const Run* runs, std::size_t lookups, std::uint64_t* hits, cudaStream_t stream);

}  // namespace rtindex::cuda
