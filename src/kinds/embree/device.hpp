#pragma once

#include <atomic>
#include <cstddef>

// Embree 3 and 4 pass a query's context differently; only this header depends on it.
#if RTINDEX_EMBREE_MAJOR >= 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

#include "kinds/scene/rays.hpp"

namespace rtindex {

#if RTINDEX_EMBREE_MAJOR >= 4

using EmbreeContext = RTCRayQueryContext;

inline void init_context(EmbreeContext& context) { rtcInitRayQueryContext(&context); }

inline void occluded(RTCScene scene, EmbreeContext& context, RTCRay& ray) {
  RTCOccludedArguments arguments;
  rtcInitOccludedArguments(&arguments);
  arguments.context = &context;
  rtcOccluded1(scene, &ray, &arguments);
}

inline void intersect(RTCScene scene, EmbreeContext& context, RTCRayHit& hit) {
  RTCIntersectArguments arguments;
  rtcInitIntersectArguments(&arguments);
  arguments.context = &context;
  rtcIntersect1(scene, &hit, &arguments);
}

#else

using EmbreeContext = RTCIntersectContext;

inline void init_context(EmbreeContext& context) { rtcInitIntersectContext(&context); }

inline void occluded(RTCScene scene, EmbreeContext& context, RTCRay& ray) {
  rtcOccluded1(scene, &context, &ray);
}

inline void intersect(RTCScene scene, EmbreeContext& context, RTCRayHit& hit) {
  rtcIntersect1(scene, &context, &hit);
}

#endif

// Embree's largest coordinate; primitives beyond it are dropped.
inline constexpr double embree_coordinate_limit = 1.844e18;

// An Embree device that counts the memory of Embree and turns its errors into Error.
class EmbreeDevice {
 public:
  explicit EmbreeDevice(int threads);
  ~EmbreeDevice();
  EmbreeDevice(const EmbreeDevice&) = delete;
  EmbreeDevice& operator=(const EmbreeDevice&) = delete;

  [[nodiscard]] RTCDevice get() const { return device_; }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(bytes_.load()); }
  [[nodiscard]] std::size_t peak_bytes() const { return static_cast<std::size_t>(peak_.load()); }
  // Throws if Embree reported an error since the last check.
  void check(const char* doing) const;
  // Builds the structure of a scene; throws if it fails, or if the call is stopped meanwhile.
  void commit(RTCScene scene) const;

 private:
  static bool count_memory(void* self, std::ptrdiff_t bytes, bool post);

  RTCDevice device_ = nullptr;
  std::atomic<std::ptrdiff_t> bytes_{0};
  std::atomic<std::ptrdiff_t> peak_{0};
};

// "Embree 3.13.5".
[[nodiscard]] const char* embree_version();

// The ray for Embree; throws where Embree's behaviour would be undefined.
[[nodiscard]] RTCRay embree_ray(const Ray& ray);

}  // namespace rtindex
