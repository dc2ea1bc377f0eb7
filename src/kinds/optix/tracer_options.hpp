#pragma once

#include <cstdint>
#include <string>

#include <rtindex/spec.hpp>

#include "kinds/optix/scene.hpp"

namespace rtindex::optix {

// The largest coordinate of a column. Rays hit triangles everywhere, but boxes and spheres only if
// they start within 2^40: on an H200 (OptiX 8.0, driver 580, traversal in software), the
// intersection program of a box further away was called up to 2^42, but its reports were dropped.
[[nodiscard]] double coordinate_limit(Primitive primitive);

// The spec with the value of every option of the kind; throws where one is invalid.
[[nodiscard]] Spec complete_options(const Spec& spec, const Kind& kind);

// How a complete spec is built.
[[nodiscard]] SceneOptions options_of(const Spec& resolved);

// Lines for describe().
[[nodiscard]] std::string describe_tracer(int device);
[[nodiscard]] std::string describe_scene(const SceneOptions& options, const Scene& scene,
                                         std::size_t keys, std::uint64_t span);

}  // namespace rtindex::optix
