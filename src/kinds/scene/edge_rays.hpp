#pragma once

#include <cstdint>

#include <rtindex/answer.hpp>

#include "base/macros.hpp"
#include "keys/coordinates.hpp"
#include "keys/interval.hpp"
#include "kinds/scene/rays.hpp"

namespace rtindex {

// The first or last key of a range, by closest hits. A ray starts at the edge of the range, in the
// gap beside its outermost key, and runs along the row into the range: along +x for the first key,
// along -x for the last. If it hits nothing, the next occupied row follows, up to the range's other
// end.
//
// Rounding errors can make a tracer report a hit that is some places behind the closest one. A
// second ray therefore passes all places in which the true closest hit may lie, and all of its hits
// are compared by key: the result is exact.

// Extended mode has this many places (in bits) between two powers of two, all equally far apart.
inline constexpr int octave_bits = 22;

// The most places by which the closest hit of a ray in extended mode can be wrong; long_ray_slack
// at both places, where coordinates are two units in the last place apart, or one beside a power of
// two.
inline constexpr std::uint32_t max_unsure_places = 16;

// The keys of one row that one ray can search. Coordinates of extended mode grow so fast that, seen
// from a large one, all small ones have the same t: towards smaller keys a ray ends at a power of
// two. In the other direction rays start at 0, where t is the coordinate itself.
[[nodiscard]] RTINDEX_HD constexpr Interval edge_part(const Coordinates& coordinates, Edge edge,
                                                      Interval keys) {
  if (coordinates.mode != KeyMode::extended || edge == Edge::first) return keys;
  const std::uint64_t octave = keys.upper >> octave_bits << octave_bits;
  return {keys.lower > octave ? keys.lower : octave, keys.upper};
}

// The ray from an edge past these keys of one row, an edge_part(). Its hits count only if they are
// keys of the part.
[[nodiscard]] RTINDEX_HD inline Ray edge_ray(const Coordinates& coordinates, Edge edge,
                                             Interval part) {
  const std::uint64_t row = coordinates.row_of(part.lower);
  const std::uint32_t first = coordinates.place_of(part.lower);
  const std::uint32_t last = coordinates.place_of(part.upper);
  if (edge == Edge::first) {
    const bool extended = coordinates.mode == KeyMode::extended;
    Ray ray = row_ray(coordinates, extended ? RayKind::zero : RayKind::offset, row, first, last);
    ray.t_decides = false;
    return ray;
  }
  const float begin = coordinates.gap_after(last);
  const float length = begin - coordinates.gap_before(first);
  return {{begin, coordinates.y_of(row), coordinates.z_of(row)},
          {-1, 0, 0},
          0,
          length * (1 + long_ray_slack),
          false};
}

// The keys of the part among which the one next to the edge is, if the closest hit was `hit`.
[[nodiscard]] RTINDEX_HD constexpr Interval unsure_keys(const Coordinates& coordinates, Edge edge,
                                                        Interval part, std::uint64_t hit) {
  // The errors grow with the largest coordinate on the way: that of the hit or of the origin.
  const std::uint32_t largest = coordinates.place_of(edge == Edge::first ? hit : part.upper);
  std::uint64_t unsure = max_unsure_places;
  if (coordinates.mode != KeyMode::extended)
    unsure = static_cast<float>(largest) <= short_ray
                 ? 0
                 : 1 + static_cast<std::uint64_t>(static_cast<float>(largest) * 2 * long_ray_slack);
  if (edge == Edge::first) return {hit - part.lower > unsure ? hit - unsure : part.lower, hit};
  return {hit, part.upper - hit > unsure ? hit + unsure : part.upper};
}

// A row at the edge of a range, or none.
struct EdgeRow {
  std::uint32_t row = miss_row;
  std::uint64_t key = 0;

  // Whether this row comes before another one, as seen from the edge.
  [[nodiscard]] RTINDEX_HD constexpr bool is_nearer(Edge edge, const EdgeRow& than) const {
    if (than.row == miss_row) return true;
    if (key != than.key) return edge == Edge::first ? key < than.key : key > than.key;
    return edge == Edge::first ? row < than.row : row > than.row;
  }
};

// The part of a range behind a key, as seen from the edge.
[[nodiscard]] RTINDEX_HD constexpr Interval keys_behind(Interval range, Edge edge,
                                                        std::uint64_t key) {
  if (key == (edge == Edge::first ? range.upper : range.lower)) return {1, 0};
  return edge == Edge::first ? Interval{key + 1, range.upper} : Interval{range.lower, key - 1};
}

// How rays find the edge of a range.
struct EdgeRays {
  Coordinates coordinates;
  RayKind point, range;  // of the second ray, past one place or several
  bool all_rows;         // else only along occupied rows
};

// Searches the keys of one row. `tracer` casts two kinds of rays:
//
//   closest(ray, keys, hit)  whether the ray hits any of these keys; if so, `hit` is the closest
//   add_all_hits(ray, keys)      adds all hits of these keys to the answer of the lookup
template <class Tracer>
RTINDEX_HD bool find_edge_in_row(const EdgeRays& rays, Interval keys, Edge edge, Tracer& tracer) {
  const Coordinates& coordinates = rays.coordinates;
  while (true) {
    const Interval part = edge_part(coordinates, edge, keys);
    std::uint64_t hit = 0;
    if (tracer.closest(edge_ray(coordinates, edge, part), part, hit)) {
      const Interval unsure = unsure_keys(coordinates, edge, part, hit);
      tracer.add_all_hits(unsure.lower == unsure.upper
                              ? point_ray(coordinates, rays.point, hit)
                              : range_ray(coordinates, rays.range, unsure, coordinates.row_of(hit)),
                          unsure);
      return true;
    }
    if (part.lower == keys.lower) return false;
    keys.upper = part.lower - 1;
  }
}

// Adds the rows of the range's first or last key to the answer of `tracer`, possibly with those of
// some keys behind it; false if the range has no key. `occupied` are the rows of the scene that
// hold keys: size(), operator[] and find(row), the position of the first one that is not before
// `row`.
template <class Rows, class Tracer>
RTINDEX_HD bool find_edge(const EdgeRays& rays, const Rows& occupied, Interval range, Edge edge,
                          Tracer& tracer) {
  const Coordinates& coordinates = rays.coordinates;
  const std::uint64_t first = coordinates.row_of(range.lower);
  const std::uint64_t last = coordinates.row_of(range.upper);
  const auto is_in = [&](std::uint64_t row) {
    return find_edge_in_row(rays, keys_in_row(coordinates, range, row), edge, tracer);
  };
  if (rays.all_rows || last - first < few_rows) {
    for (std::uint64_t i = 0; i <= last - first; ++i)
      if (is_in(edge == Edge::first ? first + i : last - i)) return true;
    return false;
  }
  if (edge == Edge::first) {
    for (auto i = occupied.find(first); i < occupied.size() && occupied[i] <= last; ++i)
      if (is_in(occupied[i])) return true;
    return false;
  }
  for (auto i = occupied.find(last + 1); i-- > 0 && occupied[i] >= first;)
    if (is_in(occupied[i])) return true;
  return false;
}

}  // namespace rtindex
