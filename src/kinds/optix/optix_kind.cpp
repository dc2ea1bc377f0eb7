#include <utility>

#include "base/cuda/runtime.hpp"
#include "engine/cuda/device_engine.hpp"
#include "kinds/optix/optix_options.hpp"
#include "kinds/optix/optix_tracer.hpp"
#include "kinds/optix/tracer_options.hpp"
#include "kinds/registry.hpp"

namespace rtindex::optix {

namespace {

// Rays find a key, or with buckets a position among sorted keys.
cuda::DeviceSearchers optix_searchers(const Spec& spec, const SceneOptions& scene) {
  const double limit = coordinate_limit(scene.rx.primitive);
  cuda::DeviceSearchers searchers;
  searchers.capabilities.counters = true;
  searchers.capabilities.ray_times = true;
  searchers.holds = [rx = scene.rx, limit](std::uint64_t span) {
    return is_exact(rx, span, limit);
  };
  searchers.reject = [rx = scene.rx, limit](const EncodedColumn& column, const KeyText& key_text) {
    require_exact(rx, column, key_text, limit);
  };
  if (scene.rx.is_bucketed()) {
    searchers.gather = cuda::gather_of(spec);
    searchers.positions = [scene](cuda::DeviceOrder& order, const cuda::Queue& queue) {
      return make_bucket_locator(scene, order, queue);
    };
    return searchers;
  }
  const SceneOptions boxes = box_options(scene);
  searchers.intervals = {
      .holds = [rx = boxes.rx, limit = coordinate_limit(Primitive::aabb)](
                   std::uint64_t span) { return is_exact(rx, span, limit); },
      .reject = [rx = boxes.rx, limit = coordinate_limit(Primitive::aabb)](
                    const EncodedColumn& column,
                    const KeyText& key_text) { require_exact(rx, column, key_text, limit); },
      .make =
          [boxes](cuda::DeviceIntervalRows rows, const cuda::GpuContext& gpu,
                  const cuda::MemoryMeter& meter) {
            return build_interval_tracer(boxes, std::move(rows), gpu, meter);
          }};
  searchers.holds_points = true;
  searchers.points = [boxes](const EncodedColumn& column, const PointCodec& codec,
                             const cuda::GpuContext& gpu, const cuda::MemoryMeter& meter) {
    return build_point_tracer(boxes, column, codec, gpu, meter);
  };
  searchers.rows = [scene](cuda::DeviceRows rows, const cuda::GpuContext& gpu,
                           const cuda::MemoryMeter& meter) {
    return build_tracer(scene, std::move(rows), gpu, meter);
  };
  searchers.encoded = [scene](EncodedColumn column, const KeyCodec& codec,
                              const cuda::GpuContext& gpu) {
    return build_tracer(scene, std::move(column), codec, gpu);
  };
  return searchers;
}

}  // namespace

Kind optix_kind() {
  return {.kind = "rx",
          .tracer = "optix",
          .device = "cuda",
          .options = declared_options(),
          .describe =
              [] {
                return fmt::format("the paper's own system, on {}, {}", cuda::gpus().front().name,
                                   rtcore_text(0));
              },
          .unavailable = [] { return unusable(); },
          .complete_options =
              [](const Spec& spec, const Kind& own) {
                cuda::require_gpu(spec);
                return complete_options(spec, own);
              },
          .bind =
              [](const Spec& spec, std::shared_ptr<DeviceMemory> memory) {
                const SceneOptions scene = options_of(spec);
                Engine engine = cuda::device_engine(spec.device_number(), std::move(memory),
                                                    optix_searchers(spec, scene));
                engine.refits = scene.rx.update == Update::refit;
                return engine;
              }};
}

}  // namespace rtindex::optix
