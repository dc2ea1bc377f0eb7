#pragma once

#include <cstdint>

#include "base/macros.hpp"
#include "keys/coordinates.hpp"
#include "keys/interval.hpp"
#include "kinds/scene/primitives.hpp"

namespace rtindex {

// How a lookup becomes a ray (paper, section 3.3, tab:rays). Ranges use the two parallel ones.
enum class RayKind : std::uint8_t { perpendicular, offset, zero };

// A ray along +x or +z; hits count where t_min < t < t_max.
struct Ray {
  Point origin;
  Point direction;
  float t_min;
  float t_max;
  // Whether every hit counts. Otherwise a hit counts only if its key is one that the ray passes.
  bool t_decides;
};

// A tracer finds t with an error of a few units in the last place. Up to this length that is far
// less than the gap between two keys.
inline constexpr float short_ray = static_cast<float>(1 << 18);

// On longer rays the error can exceed the gap: they reach further by this share of t, about eight
// units in the last place, so that no hit is lost, and their hits are compared by key.
inline constexpr float long_ray_slack = 1.0F / static_cast<float>(1 << 20);

// A ray along one row, past the places first..last.
//
// Both ends lie in the gaps beside these places. A ray "from zero" begins one unit before place 0,
// because the paper's origin at 0 with t_min = -0.5 is no valid ray and t_min = 0 misses key 0.
[[nodiscard]] RTINDEX_HD inline Ray row_ray(const Coordinates& coordinates, RayKind kind,
                                            std::uint64_t row, std::uint32_t first,
                                            std::uint32_t last) {
  const float scale = coordinates.scale;
  Ray ray{{0, coordinates.y_of(row), coordinates.z_of(row)}, {1, 0, 0}, 0, 0, true};
  if (coordinates.mode == KeyMode::extended) {
    ray.t_min = coordinates.gap_before(first);
    ray.t_max = coordinates.gap_after(last);
    ray.t_decides = false;
  } else if (kind == RayKind::zero) {
    ray.origin.x = -scale;
    ray.t_min = first == 0 ? 0.0F : (static_cast<float>(first) + 0.5F) * scale;
    ray.t_max = (static_cast<float>(last) + 1.5F) * scale;
    ray.t_decides = ray.t_max <= short_ray * scale;
  } else {
    ray.origin.x = coordinates.gap_before(first);
    ray.t_max = static_cast<float>(last - first + 1) * scale;
    ray.t_decides = ray.t_max <= short_ray * scale;
  }
  if (!ray.t_decides) {
    ray.t_min -= ray.t_min * long_ray_slack;
    ray.t_max += ray.t_max * long_ray_slack;
  }
  return ray;
}

// A short ray along z through the point of one key, past the whole depth of its primitive: where
// the gaps of extended mode differ in width, its triangle does not cross the line at z = 0.
[[nodiscard]] RTINDEX_HD inline Ray perpendicular_ray(const Coordinates& coordinates,
                                                      std::uint64_t key) {
  const Point p = coordinates.point_of(key);
  const float half = coordinates.mode == KeyMode::extended ? 2.0F * side_reach(coordinates)
                                                           : 0.5F * coordinates.scale;
  return {{p.x, p.y, p.z - half}, {0, 0, 1}, 0.0F, 2.0F * half, true};
}

[[nodiscard]] RTINDEX_HD inline Ray point_ray(const Coordinates& coordinates, RayKind kind,
                                              std::uint64_t key) {
  if (kind == RayKind::perpendicular) return perpendicular_ray(coordinates, key);
  const std::uint32_t place = coordinates.place_of(key);
  return row_ray(coordinates, kind, coordinates.row_of(key), place, place);
}

// The part of a range that lies in one row, and its ray (fig:3d, Q4: the first ray starts at the
// range's lower end, the last one ends at its upper end, those between cross their whole row).
[[nodiscard]] RTINDEX_HD inline Ray range_ray(const Coordinates& coordinates, RayKind kind,
                                              Interval range, std::uint64_t row) {
  const std::uint32_t first =
      row == coordinates.row_of(range.lower) ? coordinates.place_of(range.lower) : 0;
  const std::uint32_t last = row == coordinates.row_of(range.upper)
                                 ? coordinates.place_of(range.upper)
                                 : coordinates.last_place();
  return row_ray(coordinates, kind, row, first, last);
}

// The part of a range that lies in one row, as keys.
[[nodiscard]] RTINDEX_HD inline Interval keys_in_row(const Coordinates& coordinates, Interval range,
                                                     std::uint64_t row) {
  if (coordinates.mode != KeyMode::three_d) return range;
  const std::uint64_t lower = row << coordinates.bits_x;
  const std::uint64_t upper = lower | coordinates.last_place();
  return {range.lower > lower ? range.lower : lower, range.upper < upper ? range.upper : upper};
}

// A range over at most this many rows casts a ray along each, without a search of the row
// directory.
inline constexpr std::uint64_t few_rows = 2;

}  // namespace rtindex
