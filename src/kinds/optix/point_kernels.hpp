#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "kinds/scene/point_rays.hpp"

namespace rtindex::optix {

// Writes the primitives of points at these places as Aabbs.
void write_points(const PointSpace& space, const std::uint32_t* places, std::size_t count, void* to,
                  cudaStream_t stream);

}  // namespace rtindex::optix
