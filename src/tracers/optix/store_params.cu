#include "tracers/optix/store_params.hpp"

#include <type_traits>

#include "base/cuda/runtime.hpp"

namespace rtindex::optix {

namespace {

static_assert(std::is_trivially_copyable_v<LaunchParams> && sizeof(LaunchParams) <= 4096,
              "a kernel takes it as an argument");

__global__ void store(LaunchParams params, LaunchParams* to) { *to = params; }

}  // namespace

void store_params(const LaunchParams& params, void* to, cudaStream_t stream) {
  store<<<1, 1, 0, stream>>>(params, static_cast<LaunchParams*>(to));
  cuda::check_launch("preparing a launch");
}

}  // namespace rtindex::optix
