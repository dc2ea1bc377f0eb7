#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "answers/cuda/runs.hpp"

namespace rtindex::optix {

// A run of each lookup's length, to be laid one behind the other.
void runs_of_counts(const std::uint32_t* counts, std::size_t lookups, cuda::Run* runs,
                    cudaStream_t stream);
// The same where they lie.
void runs_of_offsets(const std::uint64_t* offsets, std::size_t lookups, cuda::Run* runs,
                     cudaStream_t stream);
// Primitives become the rowIDs of their keys.
void name_rows(const std::uint32_t* rows, std::uint32_t* primitives, std::size_t count,
               cudaStream_t stream);

}  // namespace rtindex::optix
