#pragma once

#include <cstdint>

#include "base/macros.hpp"
#include "keys/coordinates.hpp"
#include "keys/interval.hpp"
#include "kinds/scene/edge_rays.hpp"

namespace rtindex::optix {

// The state of a search for the first or last key of a range; its rays carry a pointer to it.
struct EdgeHits {
  Edge edge;
  Interval ray_keys;        // the keys that the current ray may hit
  std::uint32_t base;       // the first primitive of the current structure
  bool closest;             // whether only the closest hit of the current ray matters
  float origin, direction;  // of the current ray along x
  EdgeRow best;             // of the current ray's hits

  RTINDEX_HD void start(const Ray& ray, Interval keys, bool wants_closest) {
    ray_keys = keys;
    closest = wants_closest;
    origin = ray.origin.x;
    direction = ray.direction.x;
    best = {};
  }

  RTINDEX_HD void add(const EdgeRow& row) {
    if (row.is_nearer(edge, best)) best = row;
  }

  // Where the current ray hits the box of a key: at the key's own point.
  [[nodiscard]] RTINDEX_HD float t_of(const Coordinates& coordinates, std::uint64_t key) const {
    return (coordinates.x_of(coordinates.place_of(key)) - origin) * direction;
  }
};

}  // namespace rtindex::optix
