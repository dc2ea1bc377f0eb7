// The device programs of intervals: one module, compiled to PTX and embedded in the library. A
// perpendicular ray hits the boxes of the intervals that contain a key, rays along rows hit the
// starts of those behind it.

#include "kinds/optix/programs/device_calls.cuh"
#include "kinds/optix/programs/interval_hits.hpp"
#include "kinds/optix/programs/params.cuh"
#include "kinds/scene/interval_boxes.hpp"

using namespace rtindex;
using namespace rtindex::optix;

namespace {

__device__ void cast(const Ray& ray, IntervalHits& query) {
  const SceneView& scene = params().scene;
  const IntervalView& boxes = params().intervals;
  const Traversable* const structures = query.in_boxes ? boxes.structures : scene.structures;
  const std::uint32_t count = query.in_boxes ? boxes.structure_count : scene.structure_count;
  const std::uint32_t size = query.in_boxes ? boxes.structure_size : scene.structure_size;
  for (std::uint32_t i = 0; i < count && !query.hits.done; ++i) {
    query.hits.base = i * size;
    count_one(&Counters::rays);
    trace(structures[i], ray, &query);
  }
}

__device__ void cast_through(std::uint64_t key, IntervalHits& query) {
  query.in_boxes = true;
  query.hits.ray_keys = {key, key};
  cast(perpendicular_ray(params().scene.coordinates, key), query);
}

__device__ void cast_along_row(Interval range, std::uint64_t row, IntervalHits& query) {
  const Coordinates& coordinates = params().scene.coordinates;
  query.in_boxes = false;
  query.hits.ray_keys = keys_in_row(coordinates, range, row);
  cast(range_ray(coordinates, params().range, range, row), query);
}

}  // namespace

extern "C" __global__ void __raygen__interval() {
  const std::uint64_t lookup = params().first + launch_index();
  IntervalHits query{};
  query.hits = Hits::none(params(), lookup);
  query.starts = interval_of(lookup);
  query.ends = interval_at(params().lookups.ends, params().scene.wide, lookup);
  const IntervalRays rays = interval_rays(query.starts, query.ends);
  if (rays.has_key && !query.hits.done) cast_through(rays.key, query);
  if (!rays.behind.empty() && !query.hits.done)
    visit_rows(rays.behind, query.hits.done,
               [&](std::uint64_t row) { cast_along_row(rays.behind, row, query); });
  query.hits.write(params(), lookup);
}

extern "C" __global__ void __anyhit__interval() {
  auto& query = *static_cast<IntervalHits*>(payload_pointer());
  count_one(&Counters::hits);
  query.add(params(), query.hits.base + primitive_index());
  if (query.hits.done)
    terminate_ray();
  else
    ignore_hit();
}

extern "C" __global__ void __intersection__interval() {
  const auto& query = *static_cast<const IntervalHits*>(payload_pointer());
  count_one(&Counters::tested);
  if (query.is_hit(params(), query.hits.base + primitive_index())) report_hit(ray_begin());
}
