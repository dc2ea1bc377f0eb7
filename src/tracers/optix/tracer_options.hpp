#pragma once

#include <cstdint>
#include <string>

#include <rtindex/spec.hpp>

#include "tracers/optix/scene.hpp"

namespace rtindex::optix {

// The largest coordinate of a column. Rays find triangles everywhere. Boxes and spheres are found
// only by rays that start within 2^40: seen on an H200 (OptiX 8.0 through driver 580, traversal in
// software), where the intersection program of a box further away was called up to 2^42, but what
// it reported was dropped.
[[nodiscard]] double coordinate_limit(Primitive primitive);

// How a resolved spec is built.
[[nodiscard]] SceneOptions options_of(const Spec& resolved);

// Lines for describe().
[[nodiscard]] std::string describe_tracer(int device);
[[nodiscard]] std::string describe_scene(const SceneOptions& options, const Scene& scene,
                                         std::size_t keys, std::uint64_t span);

}  // namespace rtindex::optix
