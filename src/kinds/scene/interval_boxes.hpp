#pragma once

#include <cstdint>

#include "base/macros.hpp"
#include "keys/coordinates.hpp"
#include "keys/interval.hpp"
#include "kinds/scene/primitives.hpp"

namespace rtindex {

// In 3d mode an interval is up to five boxes, each of whole rows or planes but for their ends: the
// rest of the row of its start, rows of that plane, planes, rows of the plane of its end, and the
// begin of the row of its end. No key lies in two of them.
inline constexpr int max_interval_boxes = 5;

// The keys of each box of an interval, ascending. Returns their number.
RTINDEX_HD inline int boxes_of(const Coordinates& coordinates, Interval interval,
                               Interval (&boxes)[max_interval_boxes]) {
  if (coordinates.row_of(interval.lower) == coordinates.row_of(interval.upper)) {
    boxes[0] = interval;
    return 1;
  }
  const std::uint64_t in_row = (std::uint64_t{1} << coordinates.bits_x) - 1;
  const int plane_bits = coordinates.bits_x + coordinates.bits_y;
  const std::uint64_t in_plane =
      plane_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << plane_bits) - 1;
  int count = 0;
  std::uint64_t next = interval.lower;  // the first key that no box has yet
  const auto add_up_to = [&](std::uint64_t last) {
    boxes[count++] = {next, last};
    next = last + 1;
  };
  // Until whole rows are left, then until whole planes are left; the last key ends before the
  // largest integer can be passed, because the end of the interval lies behind it.
  const bool is_in_one_plane = (interval.lower | in_plane) == (interval.upper | in_plane);
  if ((next & in_row) != 0) add_up_to(next | in_row);
  if (!is_in_one_plane) {
    if ((next & in_plane) != 0) add_up_to(next | in_plane);
    const std::uint64_t plane = interval.upper & ~in_plane;
    if (next < plane) add_up_to(plane - 1);
  }
  const std::uint64_t row = interval.upper & ~in_row;
  if (next < row) add_up_to(row - 1);
  add_up_to(interval.upper);
  return count;
}

// The rays of a query whose matches start in one range and end in another: all of them contain a
// key, or start behind it.
struct IntervalRays {
  bool has_key;  // else all matches start behind it
  std::uint64_t key;
  Interval behind;  // empty: none starts behind the key
};

[[nodiscard]] RTINDEX_HD inline IntervalRays interval_rays(Interval starts, Interval ends) {
  if (starts.empty() || ends.empty()) return {false, 0, {1, 0}};
  IntervalRays rays{false, starts.upper < ends.lower ? starts.upper : ends.lower, {1, 0}};
  rays.has_key = starts.lower <= rays.key;
  if (rays.key < starts.upper)
    rays.behind = {rays.has_key ? rays.key + 1 : starts.lower, starts.upper};
  return rays;
}

// The box of all keys from a first to a last one, which boxes_of() returned.
[[nodiscard]] RTINDEX_HD inline Aabb box_between(const Coordinates& coordinates, Interval keys) {
  return {box_at(coordinates, keys.lower).lower, box_at(coordinates, keys.upper).upper};
}

}  // namespace rtindex
