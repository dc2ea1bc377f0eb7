#pragma once

#include <cstdint>

#include "base/macros.hpp"
#include "keys/coordinates.hpp"

namespace rtindex {

enum class Primitive : std::uint8_t { triangle, sphere, aabb };

struct Triangle {
  Point a, b, c;
};

struct Aabb {
  Point lower, upper;
};

// How far a primitive reaches from its key's point along an axis with whole-numbered coordinates:
// less than half the way to its neighbour.
inline constexpr float reach = 0.4F;

// Extended mode reaches further along y and z, which it has to itself. Embree treats a direction of
// 0 as 1e-18, so that a ray as long as this mode's largest coordinate drifts sideways by almost 2.
inline constexpr float extended_reach = 4.0F;

// Section 3.4 of the paper chooses this radius so that rays can start between two spheres.
inline constexpr float sphere_radius = 0.25F;

// From 2^22 on, neighbouring floats are 0.5 apart: a sphere's surface would round to its centre.
inline constexpr std::uint64_t sphere_axis_limit = std::uint64_t{1} << 22;

// How far primitives reach along y and z.
[[nodiscard]] RTINDEX_HD inline float side_reach(const Coordinates& coordinates) {
  const float side = reach * coordinates.scale;
  return coordinates.mode == KeyMode::extended && side < extended_reach ? extended_reach : side;
}

// A triangle that holds the key's point strictly inside when seen along x or z, as rays run. (The
// corners that section 2.1 offers as an example put it on an edge as seen along z: perpendicular
// rays miss.)
[[nodiscard]] RTINDEX_HD inline Triangle triangle_at(const Coordinates& coordinates,
                                                     std::uint64_t key) {
  const Point p = coordinates.point_of(key);
  const float e = side_reach(coordinates);
  float before = p.x - e;
  float after = p.x + e;
  if (coordinates.mode == KeyMode::extended) {
    before = coordinates.gap_before(coordinates.place_of(key));
    after = coordinates.gap_after(coordinates.place_of(key));
  }
  return {{before, p.y + e, p.z - e}, {before, p.y - e, p.z - e}, {after, p.y, p.z + e}};
}

[[nodiscard]] RTINDEX_HD inline Aabb box_at(const Coordinates& coordinates, std::uint64_t key) {
  const Triangle t = triangle_at(coordinates, key);
  return {{t.b.x, t.b.y, t.b.z}, {t.c.x, t.a.y, t.c.z}};
}

}  // namespace rtindex
