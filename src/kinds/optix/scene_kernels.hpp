#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "base/cuda/device_array.hpp"
#include "keys/cuda/device_keys.hpp"
#include "kinds/scene/primitives.hpp"

namespace rtindex::optix {

// Bytes of one primitive in the array that a structure is built from.
[[nodiscard]] constexpr std::size_t primitive_bytes(Primitive primitive) {
  if (primitive == Primitive::triangle) return sizeof(Triangle);
  return primitive == Primitive::sphere ? sizeof(Point) : sizeof(Aabb);
}

// The primitives of keys [first, first + count): triangles, centres of spheres, or boxes.
void write_primitives(const Coordinates& coordinates, Primitive primitive,
                      const cuda::DeviceColumn& column, std::size_t first, std::size_t count,
                      void* primitives, cudaStream_t stream);

// The rows of the scene that hold keys, in order. Blocks until they are counted.
[[nodiscard]] cuda::DeviceArray<std::uint64_t> occupied_rows(const Coordinates& coordinates,
                                                             const cuda::DeviceColumn& column,
                                                             const cuda::Queue& queue);

}  // namespace rtindex::optix
