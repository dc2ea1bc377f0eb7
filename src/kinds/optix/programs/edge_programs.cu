// The device programs that find the first or last key of a range by closest hits: a separate
// module, because a hit that counts must shorten the ray.

#include "kinds/optix/programs/device_calls.cuh"
#include "kinds/optix/programs/edge_hits.hpp"
#include "kinds/optix/programs/hits.hpp"
#include "kinds/optix/programs/params.cuh"

using namespace rtindex;
using namespace rtindex::optix;

namespace {

// Casts the rays of find_edge().
class EdgeTracer {
 public:
  __device__ explicit EdgeTracer(Edge edge) : hits_{.edge = edge} {}

  __device__ bool closest(const Ray& ray, Interval keys, std::uint64_t& hit) {
    hits_.start(ray, keys, true);
    cast(ray);
    hit = hits_.best.key;
    return hits_.best.row != miss_row;
  }

  __device__ void add_all_hits(const Ray& ray, Interval keys) {
    hits_.start(ray, keys, false);
    cast(ray);
  }

  [[nodiscard]] __device__ EdgeRow found() const { return hits_.best; }

 private:
  // Every structure may hold the closest key: primitives are in the order of rows.
  __device__ void cast(const Ray& ray) {
    const SceneView& scene = params().scene;
    for (std::uint32_t i = 0; i < scene.structure_count; ++i) {
      hits_.base = i * scene.structure_size;
      count_one(&Counters::rays);
      trace(scene.structures[i], ray, &hits_);
    }
  }

  EdgeHits hits_;
};

}  // namespace

extern "C" __global__ void __raygen__edge() {
  const SceneView& scene = params().scene;
  const std::uint64_t lookup = params().first + launch_index();
  const Interval range = interval_of(lookup);
  EdgeRow found;
  if (!range.empty()) {
    const EdgeRays rays{scene.coordinates, params().point, params().range, !scene.has_directory};
    EdgeTracer tracer(params().edge);
    if (find_edge(rays, OccupiedRows{}, range, params().edge, tracer)) found = tracer.found();
  }
  params().edge_rows[lookup] = found.row;
  if (params().edge_keys != nullptr) params().edge_keys[lookup] = found.key;
}

extern "C" __global__ void __anyhit__edge() {
  auto& hits = *static_cast<EdgeHits*>(payload_pointer());
  count_one(&Counters::hits);
  const std::uint32_t primitive = hits.base + primitive_index();
  const std::uint64_t key = key_of(primitive);
  // A ray hits each sphere twice; only the entry counts.
  const bool again = params().scene.primitive == Primitive::sphere && is_exit();
  const bool counts = !again && hits.ray_keys.contains(key) && !is_deleted(params(), primitive);
  if (counts) hits.add({row_of(params().scene, primitive), key});
  // A hit that is not ignored shortens the ray.
  if (!counts || !hits.closest) ignore_hit();
}

extern "C" __global__ void __intersection__edge() {
  const auto& hits = *static_cast<const EdgeHits*>(payload_pointer());
  count_one(&Counters::tested);
  const std::uint64_t key = key_of(hits.base + primitive_index());
  if (!hits.ray_keys.contains(key)) return;
  report_hit(hits.closest ? hits.t_of(params().scene.coordinates, key) : ray_begin());
}
