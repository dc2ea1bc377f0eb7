#include "optix_overhead/bare_triangles.hpp"

#include "base/cuda/launch.cuh"

namespace rtindex::bench {

namespace {

__global__ void place(const std::uint32_t* keys, std::size_t count, Triangle* triangles) {
  const std::size_t i = cuda::thread_number();
  if (i < count) triangles[i] = triangle_at(Coordinates{}, keys[i]);
}

}  // namespace

void place_triangles(const std::uint32_t* keys, std::size_t count, Triangle* triangles) {
  place<<<cuda::blocks_for(count), cuda::block_threads>>>(keys, count, triangles);
  cuda::check_launch("placing triangles");
}

}  // namespace rtindex::bench
