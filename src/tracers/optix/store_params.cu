#include "tracers/optix/store_params.hpp"

#include <type_traits>

#include "base/cuda/runtime.hpp"

namespace rtindex::optix {

namespace {

template <class Params>
__global__ void store(Params params, Params* to) {
  *to = params;
}

template <class Params>
void store_one(const Params& params, void* to, cudaStream_t stream) {
  static_assert(std::is_trivially_copyable_v<Params> && sizeof(Params) <= 4096,
                "a kernel takes it as an argument");
  store<<<1, 1, 0, stream>>>(params, static_cast<Params*>(to));
  cuda::check_launch("preparing a launch");
}

}  // namespace

void store_params(const LaunchParams& params, void* to, cudaStream_t stream) {
  store_one(params, to, stream);
}

void store_params(const BucketParams& params, void* to, cudaStream_t stream) {
  store_one(params, to, stream);
}

}  // namespace rtindex::optix
