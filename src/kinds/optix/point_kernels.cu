#include "kinds/optix/point_kernels.hpp"

#include "base/cuda/launch.cuh"

namespace rtindex::optix {

namespace {

__global__ void place_points(PointSpace space, const std::uint32_t* places, std::size_t count,
                             Aabb* to) {
  const std::size_t i = cuda::thread_number();
  if (i < count) to[i] = space.primitive_at(places[i]);
}

}  // namespace

void write_points(const PointSpace& space, const std::uint32_t* places, std::size_t count, void* to,
                  cudaStream_t stream) {
  if (count == 0) return;
  place_points<<<cuda::blocks_for(count), cuda::block_threads, 0, stream>>>(space, places, count,
                                                                            static_cast<Aabb*>(to));
  cuda::check_launch("placing points");
}

}  // namespace rtindex::optix
