#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include <rtindex/spec.hpp>

#include "tracers/optix/scene.hpp"

namespace rtindex::optix {

// OptiX takes every float as a coordinate.
inline constexpr double coordinate_limit = std::numeric_limits<float>::max();

// How a resolved spec is built.
[[nodiscard]] SceneOptions options_of(const Spec& resolved);

// Lines for describe().
[[nodiscard]] std::string describe_device(int device);
[[nodiscard]] std::string describe_tracer(int device);
[[nodiscard]] std::string describe_scene(const SceneOptions& options, const Scene& scene,
                                         std::size_t keys, std::uint64_t span);

}  // namespace rtindex::optix
