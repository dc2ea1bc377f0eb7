#pragma once

#include <cstdint>

#include "base/macros.hpp"
#include "scene/buckets.hpp"
#include "tracers/optix/bucket_params.hpp"

namespace rtindex::optix {

// The bucket of the first triangle that a ray meets, or no_bucket. `trace` gives the triangle of
// one structure, or no_bucket; each structure that is traced costs a ray, which `count` hears of.
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
