#pragma once

#include <cuda_runtime_api.h>

#include "tracers/optix/bucket_params.hpp"
#include "tracers/optix/launch_params.hpp"

namespace rtindex::optix {

// Puts the constant of a launch into device memory. It travels as the argument of a kernel: a copy
// from host memory would block the caller until the stream is done with it.
void store_params(const LaunchParams& params, void* to, cudaStream_t stream);
void store_params(const BucketParams& params, void* to, cudaStream_t stream);

}  // namespace rtindex::optix
