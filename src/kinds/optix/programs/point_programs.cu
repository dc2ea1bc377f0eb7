// The device programs for perpendicular rays of point lookups, the paper's choice: a separate
// module, whose rays carry their hits in payload registers.

#include "kinds/optix/programs/device_calls.cuh"
#include "kinds/optix/programs/hits.hpp"
#include "kinds/optix/programs/params.cuh"

using namespace rtindex;
using namespace rtindex::optix;

namespace {

// Payload registers of a ray.
enum Register : unsigned { value_low, value_high, count, row, base };

__device__ PointHits load_hits() {
  PointHits hits;
  hits.value = static_cast<std::uint64_t>(payload(value_high)) << 32 | payload(value_low);
  hits.count = payload(count);
  hits.row = payload(row);
  return hits;
}

__device__ void store_hits(const PointHits& hits) {
  set_payload(value_low, static_cast<unsigned>(hits.value));
  set_payload(value_high, static_cast<unsigned>(hits.value >> 32));
  set_payload(count, hits.count);
  set_payload(row, hits.row);
}

__device__ void cast(std::uint64_t key, PointHits& hits) {
  const SceneView& scene = params().scene;
  const Ray ray = perpendicular_ray(scene.coordinates, key);
  unsigned registers[point_payload] = {0, 0, 0, hits.row, 0};
  for (std::uint32_t i = 0; i < scene.structure_count; ++i) {
    registers[base] = i * scene.structure_size;
    trace(scene.structures[i], ray, registers);
    if (params().one_hit && registers[count] != 0) break;
  }
  hits.value = static_cast<std::uint64_t>(registers[value_high]) << 32 | registers[value_low];
  hits.count = registers[count];
  hits.row = registers[row];
}

}  // namespace

extern "C" __global__ void __raygen__point() {
  const std::uint64_t lookup = params().first + launch_index();
  const Interval interval = interval_of(lookup);
  PointHits hits;
  if (!interval.empty()) cast(interval.lower, hits);
  hits.write(params(), lookup);
}

extern "C" __global__ void __anyhit__point() {
  const std::uint32_t primitive = payload(base) + primitive_index();
  // A ray hits each sphere twice; only the entry counts.
  const bool again = params().scene.primitive == Primitive::sphere && is_exit();
  if (again || is_deleted(params(), primitive)) {
    ignore_hit();
    return;
  }
  PointHits hits = load_hits();
  const bool done = hits.add(params(), row_of(params().scene, primitive));
  store_hits(hits);
  if (done)
    terminate_ray();
  else
    ignore_hit();
}

// A ray may touch the bounds of a neighbouring key.
extern "C" __global__ void __intersection__point() {
  const std::uint64_t key = interval_of(params().first + launch_index()).lower;
  if (key_of(payload(base) + primitive_index()) == key) report_hit(ray_begin());
}
