#pragma once

#include "keys/interval.hpp"
#include "tracers/optix/launch_params.hpp"

// The launch parameters of a module, and what its device programs read through them.

// Bytes, because a constant must not need a constructor.
extern "C" {
__constant__ alignas(16) unsigned char launch_params[sizeof(rtindex::optix::LaunchParams)];
}

namespace rtindex::optix {

[[nodiscard]] __device__ inline const LaunchParams& params() {
  return *reinterpret_cast<const LaunchParams*>(launch_params);
}

[[nodiscard]] __device__ inline std::uint64_t key_of(std::uint32_t primitive) {
  const SceneView& scene = params().scene;
  return scene.wide ? static_cast<const std::uint64_t*>(scene.keys)[primitive]
                    : static_cast<const std::uint32_t*>(scene.keys)[primitive];
}

[[nodiscard]] __device__ inline Interval interval_of(std::uint64_t lookup) {
  const cuda::DeviceLookups& lookups = params().lookups;
  if (lookups.elements != nullptr) {
    const std::uint64_t element = lookups.element_bytes == 4
                                      ? static_cast<const std::uint32_t*>(lookups.elements)[lookup]
                                      : static_cast<const std::uint64_t*>(lookups.elements)[lookup];
    const std::uint64_t key = (element ^ lookups.flip) - lookups.base;
    return key <= lookups.span ? Interval{key, key} : Interval{1, 0};
  }
  if (params().scene.wide) {
    const auto at = static_cast<const KeyInterval<std::uint64_t>*>(lookups.intervals)[lookup];
    return {at.lower, at.upper};
  }
  const auto at = static_cast<const KeyInterval<std::uint32_t>*>(lookups.intervals)[lookup];
  return {at.lower, at.upper};
}

}  // namespace rtindex::optix
