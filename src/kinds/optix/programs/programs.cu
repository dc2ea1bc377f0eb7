// The device programs of rx:optix: one module, compiled to PTX and embedded in the library.

#include "kinds/optix/programs/device_calls.cuh"
#include "kinds/optix/programs/hits.hpp"
#include "kinds/optix/programs/params.cuh"

using namespace rtindex;
using namespace rtindex::optix;

namespace {

__device__ void cast(const Ray& ray, Hits& hits) {
  const SceneView& scene = params().scene;
  for (std::uint32_t i = 0; i < scene.structure_count && !hits.done; ++i) {
    hits.base = i * scene.structure_size;
    count_one(&Counters::rays);
    trace(scene.structures[i], ray, &hits);
  }
}

__device__ void cast_point(std::uint64_t key, Hits& hits) {
  hits.ray_keys = {key, key};
  // Along a row, rounding errors in t can reach the neighbouring key; across it, they cannot.
  hits.compare = params().point != RayKind::perpendicular;
  cast(point_ray(params().scene.coordinates, params().point, key), hits);
}

__device__ void cast_along_row(Interval range, std::uint64_t row, Hits& hits) {
  const Coordinates& coordinates = params().scene.coordinates;
  hits.ray_keys = keys_in_row(coordinates, range, row);
  hits.compare = true;
  cast(range_ray(coordinates, params().range, range, row), hits);
}

}  // namespace

extern "C" __global__ void __raygen__lookup() {
  const std::uint64_t lookup = params().first + launch_index();
  Hits hits = Hits::none(params(), lookup);
  const Interval interval = interval_of(lookup);
  if (!interval.empty() && !hits.done) {
    if (params().points)
      cast_point(interval.lower, hits);
    else
      visit_rows(interval, hits.done,
                 [&](std::uint64_t row) { cast_along_row(interval, row, hits); });
  }
  hits.write(params(), lookup);
}

extern "C" __global__ void __anyhit__take() {
  auto& hits = *static_cast<Hits*>(payload_pointer());
  count_one(&Counters::hits);
  const std::uint32_t primitive = hits.base + primitive_index();
  const Primitive kind = params().scene.primitive;
  // A ray hits each sphere twice; only the entry counts.
  const bool again = kind == Primitive::sphere && is_exit();
  // Boxes were compared before they were reported.
  const bool compare = hits.compare && kind != Primitive::aabb;
  if (!again && (!compare || hits.ray_keys.contains(key_of(primitive))) &&
      !is_deleted(params(), primitive))
    hits.add(params(), primitive);
  if (hits.done)
    terminate_ray();
  else
    ignore_hit();
}

// Boxes of neighbouring keys touch from 2^22 on, so that keys are compared, not coordinates.
extern "C" __global__ void __intersection__box() {
  const auto& hits = *static_cast<const Hits*>(payload_pointer());
  count_one(&Counters::tested);
  if (hits.ray_keys.contains(key_of(hits.base + primitive_index()))) report_hit(ray_begin());
}
