#include "optix_overhead/bare_params.hpp"

#include "base/cuda/launch.cuh"

namespace rtindex::bench {

namespace {

__global__ void triangle_kernel(const std::uint32_t* keys, std::size_t count, Triangle* triangles) {
  const std::size_t i = cuda::thread_number();
  if (i < count) triangles[i] = triangle_at(Coordinates{}, keys[i]);
}

}  // namespace

void make_triangles(const std::uint32_t* keys, std::size_t count, Triangle* triangles) {
  triangle_kernel<<<cuda::blocks_for(count), cuda::block_threads>>>(keys, count, triangles);
  cuda::check_launch("making triangles");
}

}  // namespace rtindex::bench
