#pragma once

#include <cstdint>

#include "base/macros.hpp"
#include "keys/interval.hpp"
#include "kinds/optix/launch_params.hpp"
#include "kinds/optix/programs/hits.hpp"
#include "kinds/scene/point_rays.hpp"

namespace rtindex::optix {

// The box of a query: the keys of each column that its conditions leave. Sets of values are
// compared with hits; here they are ranges from their least to their greatest value.
[[nodiscard]] RTINDEX_HD inline PointBox box_of(const PointView& points, std::uint64_t lookup) {
  PointBox box{};
  for (std::uint32_t c = 0; c < points.space.columns; ++c) box.keys[c] = {0, points.largest[c]};
  const auto restrict_to = [&](std::uint32_t column, std::uint64_t lower, std::uint64_t upper) {
    Interval& keys = box.keys[column];
    if (keys.lower < lower) keys.lower = lower;
    if (keys.upper > upper) keys.upper = upper;
  };
  for (std::uint32_t i = 0; i < points.boxes.count; ++i) {
    const cuda::DeviceBoxSide& side = points.boxes.sides[i];
    restrict_to(side.column, side.all.lower, side.all.upper);
    if (side.own != nullptr)
      restrict_to(side.column, side.own[lookup].lower, side.own[lookup].upper);
  }
  return box;
}

[[nodiscard]] RTINDEX_HD inline bool is_empty(const PointView& points, const PointBox& box) {
  for (std::uint32_t c = 0; c < points.space.columns; ++c)
    if (box.keys[c].empty()) return true;
  return points.boxes.is_empty;
}

// Whether a key lies in a set of intervals, which ascend and are disjoint.
[[nodiscard]] RTINDEX_HD inline bool is_in_set(const cuda::DeviceBoxSide& side, std::uint64_t key) {
  std::uint32_t begin = 0;
  std::uint32_t end = side.set_size;
  while (begin < end) {
    const std::uint32_t middle = begin + (end - begin) / 2;
    if (side.set[middle].upper < key)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin < side.set_size && side.set[begin].lower <= key;
}

// The state of a box query in memory; its rays carry a pointer to it.
struct BoxHits {
  Hits hits;
  PointBox box;
  BoxRays rays;
  PlaceRay ray;  // the current one

  // Whether the current ray hits a primitive.
  [[nodiscard]] RTINDEX_HD bool is_hit(const LaunchParams& params, std::uint32_t primitive) const {
    return ray.passes(params.point_scene.places[primitive]);
  }

  // Adds a point, if it is a match.
  RTINDEX_HD void add(const LaunchParams& params, std::uint32_t primitive) {
    const PointView& points = params.point_scene;
    const auto key_of = [&](std::uint32_t column) { return points.key(column, primitive); };
    if (!rays.contains(points.space, box, points.places[primitive], key_of)) return;
    for (std::uint32_t i = 0; i < points.boxes.count; ++i) {
      const cuda::DeviceBoxSide& side = points.boxes.sides[i];
      if (side.set != nullptr && !is_in_set(side, key_of(side.column))) return;
    }
    if (!is_deleted(params, primitive)) hits.add(params, primitive);
  }
};

}  // namespace rtindex::optix
