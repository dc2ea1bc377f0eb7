#pragma once

#include <cstdint>

#include "base/macros.hpp"
#include "kinds/optix/launch_params.hpp"
#include "kinds/scene/buckets.hpp"

namespace rtindex::optix {

// The bucket of the closest triangle that a ray hits, or no_bucket. `trace` returns the triangle in
// one structure, or no_bucket; `count` is called for each ray, one per structure.
template <class Trace, class Count>
[[nodiscard]] RTINDEX_HD std::uint32_t closest_bucket(const BucketPart& part, const Trace& trace,
                                                      const Count& count) {
  for (std::uint32_t i = 0; i < part.structure_count; ++i) {
    count();
    const std::uint32_t hit = trace(part.structures[i]);
    if (hit == no_bucket) continue;
    const std::uint32_t triangle = i * part.structure_size + hit;
    return part.buckets == nullptr ? triangle : part.buckets[triangle];
  }
  return no_bucket;
}

}  // namespace rtindex::optix
