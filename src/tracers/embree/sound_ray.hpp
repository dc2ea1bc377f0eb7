#pragma once

#include "scene/rays.hpp"
#include "tracers/embree/api.hpp"

namespace rtindex {

// The ray as Embree wants it; throws where Embree would not be defined for it.
[[nodiscard]] RTCRay sound_ray(const Ray& ray);

}  // namespace rtindex
