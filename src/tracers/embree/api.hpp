#pragma once

// Embree 3 and 4 differ in where a query's context goes; this header is all that knows it.
#if RTINDEX_EMBREE_MAJOR >= 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

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

}  // namespace rtindex
