#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "answers/cuda/runs.hpp"
#include "base/cuda/device_array.hpp"
#include "kinds/optix/launch_params.hpp"

// The kernels before and after a launch of rays.
namespace rtindex::optix {

// Writes launch parameters to device memory. They travel as the argument of a kernel: a copy from
// host memory would block the caller until the stream reaches it.
void store_params(const LaunchParams& params, void* to, cudaStream_t stream);
void store_params(const BucketParams& params, void* to, cudaStream_t stream);

// A run per lookup, as long as its number of hits: from counts, or from offsets.
void runs_of_counts(const std::uint32_t* counts, std::size_t lookups, cuda::Run* runs,
                    cudaStream_t stream);
void runs_of_offsets(const std::uint64_t* offsets, std::size_t lookups, cuda::Run* runs,
                     cudaStream_t stream);
// Replaces primitives by the rowIDs of their keys.
void name_rows(const std::uint32_t* rows, std::uint32_t* primitives, std::size_t count,
               cudaStream_t stream);
// Sorts the primitives of each lookup by their keys, those of equal keys by their rows; `keys` are
// theirs.
void sort_hits(const SceneView& scene, const std::uint64_t* offsets, std::size_t lookups,
               cuda::DeviceArray<std::uint32_t>& primitives, cuda::DeviceArray<std::uint64_t>& keys,
               const cuda::Queue& queue);

}  // namespace rtindex::optix
