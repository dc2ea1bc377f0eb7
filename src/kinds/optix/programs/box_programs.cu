// The device programs of box queries over points: one module, compiled to PTX and embedded in the
// library. The rays of a box run along its shortest side.

#include "kinds/optix/programs/box_hits.hpp"
#include "kinds/optix/programs/device_calls.cuh"
#include "kinds/optix/programs/params.cuh"

using namespace rtindex;
using namespace rtindex::optix;

namespace {

__device__ void cast(BoxHits& query) {
  const SceneView& scene = params().scene;
  for (std::uint32_t i = 0; i < scene.structure_count && !query.hits.done; ++i) {
    query.hits.base = i * scene.structure_size;
    count_one(&Counters::rays);
    trace(scene.structures[i], query.ray.ray, &query);
  }
}

}  // namespace

extern "C" __global__ void __raygen__box() {
  const std::uint64_t lookup = params().first + launch_index();
  const PointView& points = params().point_scene;
  const Hits none = Hits::none(params(), lookup);
  const PointBox box = box_of(points, lookup);
  if (none.done || is_empty(points, box)) {
    none.write(params(), lookup);
    return;
  }
  BoxHits query{none, box, BoxRays(points.space, box), {}};
  const std::uint64_t count = query.rays.count();
  for (std::uint64_t i = 0; i < count && !query.hits.done; ++i) {
    query.ray = query.rays.ray(points.space, i);
    cast(query);
  }
  query.hits.write(params(), lookup);
}

extern "C" __global__ void __anyhit__box() {
  auto& query = *static_cast<BoxHits*>(payload_pointer());
  count_one(&Counters::hits);
  query.add(params(), query.hits.base + primitive_index());
  if (query.hits.done)
    terminate_ray();
  else
    ignore_hit();
}

extern "C" __global__ void __intersection__box() {
  const auto& query = *static_cast<const BoxHits*>(payload_pointer());
  count_one(&Counters::tested);
  if (query.is_hit(params(), query.hits.base + primitive_index())) report_hit(ray_begin());
}
