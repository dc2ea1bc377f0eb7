#pragma once

#include <cstdint>

#include "base/macros.hpp"
#include "keys/interval.hpp"
#include "kinds/optix/launch_params.hpp"
#include "kinds/optix/programs/hits.hpp"

namespace rtindex::optix {

// The state of a query of intervals in memory; its rays carry a pointer to it.
struct IntervalHits {
  Hits hits;
  Interval starts, ends;  // of the matches
  bool in_boxes;          // the current ray crosses boxes of intervals, else their starts

  // Whether the current ray hits a primitive. Boxes of neighbouring keys touch from 2^22 on, so
  // that keys are compared, not coordinates.
  [[nodiscard]] RTINDEX_HD bool is_hit(const LaunchParams& params, std::uint32_t primitive) const {
    if (in_boxes) return params.intervals.keys_of(primitive).contains(hits.ray_keys.lower);
    return hits.ray_keys.contains(params.scene.key(primitive));
  }

  // Adds the interval of a primitive, if it is a match.
  RTINDEX_HD void add(const LaunchParams& params, std::uint32_t primitive) {
    const std::uint32_t interval = in_boxes ? params.intervals.intervals[primitive] : primitive;
    if (starts.contains(params.scene.key(interval)) &&
        ends.contains(params.intervals.end(interval)) && !is_deleted(params, interval))
      hits.add(params, interval);
  }
};

}  // namespace rtindex::optix
