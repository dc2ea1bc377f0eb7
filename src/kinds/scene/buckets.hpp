#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "base/macros.hpp"
#include "keys/coordinates.hpp"
#include "kinds/scene/primitives.hpp"
#include "kinds/scene/rays.hpp"

namespace rtindex {

// Coarse-granular RX (after cgRX, arXiv 2406.03965). The column is sorted and cut into buckets of
// neighbouring keys; a bucket's largest key stands for it in the scene. The bucket that holds the
// first key >= k is then the one whose representative a ray from k meets first:
//
//   along x    the rest of k's own row;
//   along y    the rows behind it in k's plane, by a marker beside each row that holds anything;
//   along z    the planes behind it, by a marker beside each plane that holds anything.
//
// A marker stores the first bucket of its row or plane, so that these three rays are enough.
//
// The scene need not distinguish all keys, since a search through keys follows: it can drop low
// bits, so that sparse keys lie close together and the first ray is mostly enough. A key below is
// then a key without these bits.

inline constexpr std::uint32_t no_bucket = 0xffffffffU;

// The buckets that a column in key order is cut into; the last one may be short.
struct Buckets {
  std::uint32_t size;  // keys of a bucket
  std::uint32_t keys;  // of the column

  [[nodiscard]] RTINDEX_HD constexpr std::uint32_t count() const {
    return static_cast<std::uint32_t>((std::uint64_t{keys} + size - 1) / size);
  }
  [[nodiscard]] RTINDEX_HD constexpr std::uint32_t begin(std::uint32_t bucket) const {
    return at_most_keys(std::uint64_t{bucket} * size);
  }
  [[nodiscard]] RTINDEX_HD constexpr std::uint32_t end(std::uint32_t bucket) const {
    return at_most_keys((std::uint64_t{bucket} + 1) * size);
  }

 private:
  [[nodiscard]] RTINDEX_HD constexpr std::uint32_t at_most_keys(std::uint64_t position) const {
    return position < keys ? static_cast<std::uint32_t>(position) : keys;
  }
};

// Neighbouring buckets, counted by the highest bit in which their largest keys differ.
using HighestDifferences = std::array<std::uint32_t, 64>;

[[nodiscard]] RTINDEX_HD inline unsigned highest_difference(std::uint64_t a, std::uint64_t b) {
#if defined(__CUDA_ARCH__)
  return 63U - static_cast<unsigned>(__clzll(static_cast<long long>(a ^ b)));
#else
  return 63U - static_cast<unsigned>(std::countl_zero(a ^ b));
#endif
}

// The number of low bits that a scene drops by default: so many that about a thousand buckets share
// a row, and that there are at most some thousand rows, which rays find quickest. (With rows much
// further apart than they are long, builders that sort by interleaved bits separate places too
// late. On an H200, with rays past rows not yet bounded, 2^22 buckets in 2^21 rows took 8 times as
// long as in 2^12.)
//
// At most so many that one bucket in 256 loses a place of its own, less `spare` bits, so that few
// keys share their place with the largest key of the bucket before, where rays stop too early. If
// that leaves too many rows, no bit is dropped: planes of rows are better then.
[[nodiscard]] constexpr int bits_to_drop(const HighestDifferences& differences,
                                         const Coordinates& coordinates, std::uint64_t last_key) {
  if (coordinates.mode != KeyMode::three_d) return 0;
  constexpr std::uint64_t differences_per_lost_one = 256;
  constexpr int spare = 6;
  constexpr int log2_of_a_row = 10;
  constexpr int log2_of_rows = 12;
  constexpr int max_log2_of_rows = 15;
  std::uint64_t all = 0;
  for (const std::uint32_t count : differences) all += count;
  std::uint64_t lost = 0;
  int spared = 0;  // bits that few buckets need
  for (; spared < 63; ++spared) {
    lost += differences[static_cast<std::size_t>(spared)];
    if (lost * differences_per_lost_one > all) break;
  }
  const int bits = static_cast<int>(std::bit_width(last_key)) - coordinates.bits_x;
  const int rows =
      std::clamp(static_cast<int>(std::bit_width(all)) - log2_of_a_row, 0, log2_of_rows);
  const int drop = std::min(spared - spare, bits - rows);
  return drop <= 0 || bits - drop > max_log2_of_rows ? 0 : drop;
}

// What a bucket can stand for in the scene.
enum class BucketRole : std::uint8_t { representative, row_marker, plane_marker };

[[nodiscard]] RTINDEX_HD constexpr std::uint64_t plane_of(const Coordinates& coordinates,
                                                          std::uint64_t key) {
  return coordinates.mode == KeyMode::three_d ? coordinates.row_of(key) >> coordinates.bits_y : 0;
}

// Whether a column that ends with `last_key` needs markers of a row or plane: where there is no
// second one, no ray looks for it.
[[nodiscard]] RTINDEX_HD constexpr bool has_markers(const Coordinates& coordinates, BucketRole role,
                                                    std::uint64_t last_key) {
  return role == BucketRole::row_marker ? coordinates.row_of(last_key) != 0
                                        : plane_of(coordinates, last_key) != 0;
}

// Whether the bucket with this largest key is the first with such a key, in its row or in its
// plane. `before` is the largest key of the bucket before it.
[[nodiscard]] RTINDEX_HD constexpr bool is_first(const Coordinates& coordinates, BucketRole role,
                                                 std::uint64_t before, std::uint64_t key) {
  if (role == BucketRole::representative) return before != key;
  if (role == BucketRole::row_marker) return coordinates.row_of(before) != coordinates.row_of(key);
  return plane_of(coordinates, before) != plane_of(coordinates, key);
}

// Where a key lies on the axis of the rays that look for a role.
[[nodiscard]] RTINDEX_HD constexpr std::uint32_t steps_on_axis(const Coordinates& coordinates,
                                                               BucketRole role, std::uint64_t key) {
  if (role == BucketRole::representative) return coordinates.place_of(key);
  const std::uint64_t row = coordinates.row_of(key);
  return static_cast<std::uint32_t>(role == BucketRole::row_marker
                                        ? row & ((std::uint64_t{1} << coordinates.bits_y) - 1)
                                        : row >> coordinates.bits_y);
}

// How far a bucket's largest key lies behind that of the bucket before it, on this axis; behind the
// begin of its row or plane where the other one lies in a row or plane before.
[[nodiscard]] RTINDEX_HD constexpr std::uint32_t gap_before(const Coordinates& coordinates,
                                                            BucketRole role, std::uint64_t before,
                                                            std::uint64_t key) {
  const std::uint32_t step = steps_on_axis(coordinates, role, key);
  const bool is_apart =
      role == BucketRole::representative ? coordinates.row_of(before) != coordinates.row_of(key)
      : role == BucketRole::row_marker ? plane_of(coordinates, before) != plane_of(coordinates, key)
                                       : false;
  return is_apart ? step : step - steps_on_axis(coordinates, role, before);
}

// The largest gap_before() on each axis: rays are no longer than that.
struct WidestGaps {
  std::uint32_t x = 0xffffffffU, y = 0xffffffffU, z = 0xffffffffU;
};

// The coordinates of buckets in the scene, and the bounds of rays.
struct BucketSpace {
  Coordinates coordinates;
  int dropped = 0;             // low bits of keys that the scene drops
  std::uint64_t last_key = 0;  // of the column, without them
  WidestGaps widest;
};

// A linear map of the scene: each axis times a power of two. Rays keep their t.
//
// Builders of acceleration structures cut boxes so that their surface gets small. The maps below
// make them cut between planes first, then between rows, then within rows, as rays need it: a ray
// along a row then sees no box of other rows, and one along y none of other planes. Without them
// either passes through most boxes of a sparse scene (measured on Embree with 2^17 buckets of
// random 64-bit keys: 28 us for a lookup, 2 us with them).
struct Stretch {
  float x, y, z;

  [[nodiscard]] RTINDEX_HD Point operator()(const Point& p) const {
    return {p.x * x, p.y * y, p.z * z};
  }
  [[nodiscard]] RTINDEX_HD Triangle operator()(const Triangle& t) const {
    return {(*this)(t.a), (*this)(t.b), (*this)(t.c)};
  }
  [[nodiscard]] RTINDEX_HD Ray operator()(const Ray& ray) const {
    return {(*this)(ray.origin), (*this)(ray.direction), ray.t_min, ray.t_max, ray.t_decides};
  }
};

// 2^wanted, or less where an axis of so many bits would exceed the largest coordinate of some
// tracer.
[[nodiscard]] RTINDEX_HD inline float stretch_of(const Coordinates& coordinates, int wanted,
                                                 int bits) {
  constexpr int max_exponent = 59;  // Embree's largest coordinate is 2^60
  constexpr int bias = 127;
  const auto scale_bits = std::bit_cast<std::uint32_t>(coordinates.scale);
  const int room = max_exponent - bits - (static_cast<int>(scale_bits >> 23) - bias);
  const int exponent = wanted < room ? wanted : room;
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + bias) << 23);
}

// Planes further apart than rows, rows further apart than keys; but not so far that a builder which
// sorts by interleaved bits has too few left for the places in a row. (Rows 2^23 apart took 2^27
// lookups from 77 to 2,904 ms on an H200.)
[[nodiscard]] RTINDEX_HD inline Stretch representative_stretch(const Coordinates& coordinates) {
  if (coordinates.mode != KeyMode::three_d) return {1, 1, 1};
  return {1, stretch_of(coordinates, 15, coordinates.bits_y),
          stretch_of(coordinates, 25, coordinates.bits_z)};
}

// All markers have one place along x. Wide along x, a box gets small only along z, which is
// longer than y.
[[nodiscard]] RTINDEX_HD inline Stretch marker_stretch(const Coordinates& coordinates) {
  return {stretch_of(coordinates, 26, 1), 1, stretch_of(coordinates, 25, coordinates.bits_z)};
}

// A row's marker lies one unit before place 0; seen along y, as rays meet it, the point is strictly
// inside. (A key's own triangle is a line when seen along y.)
[[nodiscard]] RTINDEX_HD inline Triangle row_marker(const Coordinates& coordinates,
                                                    std::uint64_t row) {
  const float e = reach * coordinates.scale;
  const Point p{-coordinates.scale, coordinates.y_of(row), coordinates.z_of(row)};
  return {{p.x - e, p.y - e, p.z + e}, {p.x - e, p.y - e, p.z - e}, {p.x + e, p.y + e, p.z}};
}

// A plane's marker lies one unit before its first row, beside the markers of rows; rays meet it
// along z.
[[nodiscard]] RTINDEX_HD inline Triangle plane_marker(const Coordinates& coordinates,
                                                      std::uint64_t plane) {
  const float e = reach * coordinates.scale;
  const float z = static_cast<float>(plane) * coordinates.scale;
  const Point p{-coordinates.scale, -coordinates.scale, z};
  return {{p.x - e, p.y + e, p.z - e}, {p.x - e, p.y - e, p.z - e}, {p.x + e, p.y, p.z + e}};
}

// What stands in the scene for a bucket with this largest key.
[[nodiscard]] RTINDEX_HD inline Triangle bucket_triangle(const Coordinates& coordinates,
                                                         BucketRole role, std::uint64_t key) {
  if (role == BucketRole::representative)
    return representative_stretch(coordinates)(triangle_at(coordinates, key));
  const Stretch stretch = marker_stretch(coordinates);
  if (role == BucketRole::row_marker)
    return stretch(row_marker(coordinates, coordinates.row_of(key)));
  return stretch(plane_marker(coordinates, plane_of(coordinates, key)));
}

// From the gap before a key to where the next bucket in its row must be, if there is one: at most
// to the end of the row, or to the column's last key.
[[nodiscard]] RTINDEX_HD inline Ray ray_along_row(const BucketSpace& space, std::uint64_t key) {
  const Coordinates& coordinates = space.coordinates;
  const std::uint64_t row = coordinates.row_of(key);
  const std::uint32_t first = coordinates.place_of(key);
  const std::uint32_t end = row == coordinates.row_of(space.last_key)
                                ? coordinates.place_of(space.last_key)
                                : coordinates.last_place();
  const std::uint32_t last = end - first < space.widest.x ? end : first + space.widest.x;
  const RayKind kind = coordinates.mode == KeyMode::extended ? RayKind::zero : RayKind::offset;
  return row_ray(coordinates, kind, row, first, last);
}

// Past the markers of rows behind this one in its plane, to where the next one must be; there must
// be room for one, and a plane with another row than its first.
[[nodiscard]] RTINDEX_HD inline Ray ray_past_rows(const BucketSpace& space, std::uint64_t row) {
  const Coordinates& coordinates = space.coordinates;
  const float scale = coordinates.scale;
  const std::uint64_t last = (std::uint64_t{1} << coordinates.bits_y) - 1;
  const std::uint64_t rows = last - (row & last);
  const float begin = coordinates.y_of(row) + 0.5F * scale;
  const float length = static_cast<float>(rows < space.widest.y ? rows : space.widest.y) * scale;
  return {
      {-scale, begin, coordinates.z_of(row)}, {0, 1, 0}, 0, length * (1 + long_ray_slack), false};
}

// Past the markers of planes behind this one, to where the next one must be.
[[nodiscard]] RTINDEX_HD inline Ray ray_past_planes(const BucketSpace& space, std::uint64_t plane) {
  const float scale = space.coordinates.scale;
  const std::uint64_t planes = (std::uint64_t{1} << space.coordinates.bits_z) - 1 - plane;
  const float begin = (static_cast<float>(plane) + 0.5F) * scale;
  const float length =
      static_cast<float>(planes < space.widest.z ? planes : space.widest.z) * scale;
  return {{-scale, -scale, begin}, {0, 0, 1}, 0, length * (1 + long_ray_slack), false};
}

// The bucket that holds the first key >= `whole_key`, which is not above the column's last key.
// With bits dropped, it may also be one before that one whose largest key differs in these bits
// alone. Both functions return the bucket of the closest hit of a ray, or no_bucket.
//
// On a ray of more than short_ray the error of t can exceed the gap between two primitives, so that
// the bucket found may be a neighbour of the right one (or of its row or plane). The caller
// corrects it by comparing keys (lower_bound_from_hint).
template <class Representatives, class Markers>
[[nodiscard]] RTINDEX_HD std::uint32_t find_bucket(const BucketSpace& space,
                                                   std::uint64_t whole_key,
                                                   const Representatives& closest_representative,
                                                   const Markers& closest_marker) {
  const Coordinates& coordinates = space.coordinates;
  const std::uint64_t key = whole_key >> space.dropped;
  if (key == 0) return 0;  // no key is less
  std::uint32_t found =
      closest_representative(representative_stretch(coordinates)(ray_along_row(space, key)));
  if (found != no_bucket) return found;
  const std::uint64_t row = coordinates.row_of(key);
  const std::uint64_t plane = plane_of(coordinates, key);
  const std::uint64_t next_row = row + 1;
  if (space.widest.y != 0 && next_row <= coordinates.row_of(space.last_key) &&
      next_row >> coordinates.bits_y == plane)
    found = closest_marker(marker_stretch(coordinates)(ray_past_rows(space, row)));
  if (found == no_bucket && plane < plane_of(coordinates, space.last_key))
    found = closest_marker(marker_stretch(coordinates)(ray_past_planes(space, plane)));
  return found;
}

}  // namespace rtindex
