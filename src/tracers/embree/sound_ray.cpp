#include "tracers/embree/sound_ray.hpp"

#include <cmath>

#include "base/error.hpp"

namespace rtindex {

namespace {

[[nodiscard]] bool is_sound(const Ray& ray) {
  return std::isfinite(ray.origin.x) && std::isfinite(ray.origin.y) &&
         std::isfinite(ray.origin.z) && ray.t_min >= 0 && ray.t_min <= ray.t_max &&
         std::isfinite(ray.t_max);
}

}  // namespace

RTCRay sound_ray(const Ray& ray) {
  if (!is_sound(ray))
    fail("bug in rtindex: a ray with t from {} to {} is not sound; please report it", ray.t_min,
         ray.t_max);
  RTCRay embree_ray{};
  embree_ray.org_x = ray.origin.x;
  embree_ray.org_y = ray.origin.y;
  embree_ray.org_z = ray.origin.z;
  embree_ray.dir_x = ray.direction.x;
  embree_ray.dir_y = ray.direction.y;
  embree_ray.dir_z = ray.direction.z;
  embree_ray.tnear = ray.t_min;
  embree_ray.tfar = ray.t_max;
  embree_ray.mask = 0xffffffffU;
  return embree_ray;
}

}  // namespace rtindex
