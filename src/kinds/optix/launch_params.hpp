#pragma once

#include <cstdint>

#include <rtindex/answer.hpp>

#include "answers/values.hpp"
#include "engine/cuda/lookup_view.hpp"
#include "keys/coordinates.hpp"
#include "keys/interval.hpp"
#include "kinds/optix/abi.hpp"
#include "kinds/scene/buckets.hpp"
#include "kinds/scene/edge_rays.hpp"
#include "kinds/scene/point_rays.hpp"
#include "kinds/scene/primitives.hpp"
#include "kinds/scene/rays.hpp"
#include "order/cuda/device_boxes.hpp"

namespace rtindex::optix {

// What a launch does with the hits of a lookup.
enum class Task : std::uint8_t {
  answer,   // any, first, count, sum, min, max
  count,    // how many there are, up to a limit
  collect,  // writes them to buffers that were sized by `count`
};

// How many registers the rays of point_programs.cu carry.
inline constexpr unsigned point_payload = 5;

// Element i of an array of KeyInterval<Key>s.
[[nodiscard]] RTINDEX_HD inline Interval interval_at(const void* intervals, bool wide,
                                                     std::uint64_t i) {
  if (wide) {
    const auto at = static_cast<const KeyInterval<std::uint64_t>*>(intervals)[i];
    return {at.lower, at.upper};
  }
  const auto at = static_cast<const KeyInterval<std::uint32_t>*>(intervals)[i];
  return {at.lower, at.upper};
}

// The scene as the device programs read it.
struct SceneView {
  Coordinates coordinates;
  Primitive primitive;
  bool wide;                      // keys of 8 bytes
  const void* keys;               // by primitive
  const std::uint32_t* rows;      // by primitive; null: primitive i is row i
  const Traversable* structures;  // each of `structure_size` primitives, the last of fewer
  std::uint32_t structure_count;
  std::uint32_t structure_size;
  bool has_directory;              // else rays are cast along all rows
  const std::uint64_t* directory;  // the rows that hold keys, in order
  std::uint64_t directory_size;

  [[nodiscard]] RTINDEX_HD std::uint64_t key(std::uint32_t i) const {
    return wide ? static_cast<const std::uint64_t*>(keys)[i]
                : static_cast<const std::uint32_t*>(keys)[i];
  }
};

// The boxes of intervals, beside the scene of their starts.
struct IntervalView {
  bool wide;                      // keys of 8 bytes
  const void* ends;               // by primitive of the scene of starts
  const Traversable* structures;  // each of `structure_size` boxes, the last of fewer
  std::uint32_t structure_count;
  std::uint32_t structure_size;
  const std::uint32_t* intervals;  // by box: the primitive of the start
  const void* box_keys;            // by box: a KeyInterval<Key>

  [[nodiscard]] RTINDEX_HD std::uint64_t end(std::uint32_t i) const {
    return wide ? static_cast<const std::uint64_t*>(ends)[i]
                : static_cast<const std::uint32_t*>(ends)[i];
  }
  [[nodiscard]] RTINDEX_HD Interval keys_of(std::uint32_t box) const {
    return interval_at(box_keys, wide, box);
  }
};

// Points in a scene, and the boxes of a launch. `SceneView::rows` are theirs, too.
struct PointView {
  PointSpace space;
  const std::uint32_t* places;            // by primitive
  const void* keys[max_point_axes];       // by column: its keys by primitive
  bool wide[max_point_axes];              // by column: keys of 8 bytes
  std::uint64_t largest[max_point_axes];  // key of each column
  cuda::DeviceBoxes boxes;

  [[nodiscard]] RTINDEX_HD std::uint64_t key(std::uint32_t column, std::uint32_t i) const {
    return wide[column] ? static_cast<const std::uint64_t*>(keys[column])[i]
                        : static_cast<const std::uint32_t*>(keys[column])[i];
  }
};

// The launch parameters of all programs but bucket_programs.cu.
struct LaunchParams {
  SceneView scene;
  IntervalView intervals;  // for interval_programs.cu
  PointView point_scene;   // for box_programs.cu
  cuda::DeviceLookups lookups;
  RayKind point, range;
  bool points;          // whether the lookups are points
  std::uint64_t first;  // the lookup of the launch's first thread

  Task task;
  bool one_hit;  // one hit answers a lookup
  std::uint32_t* any;
  std::uint32_t* smallest_row;
  std::uint32_t* count;
  void* sum;
  void* min;
  void* max;
  const void* values;
  Type value_type;
  ValueClass value_class;
  std::uint64_t miss;  // the bits of the miss value

  std::uint32_t limit;
  const std::uint64_t* offsets;
  std::uint32_t* collected;  // primitives

  Edge edge;  // for edge_programs.cu
  std::uint32_t* edge_rows;
  std::uint64_t* edge_keys;  // null: not requested
};

// Triangles in acceleration structures, and their buckets. All triangles that a ray can hit are in
// key order, so that the first structure with a hit has the closest one.
struct BucketPart {
  const Traversable* structures;  // each of `structure_size` triangles, the last of fewer
  std::uint32_t structure_count;
  std::uint32_t structure_size;
  const std::uint32_t* buckets;  // by triangle; null: triangle i is bucket i
};

// A column in buckets as the device programs read it.
struct BucketView {
  BucketSpace space;
  std::uint64_t last_key;  // with all its bits
  bool wide;               // keys of 8 bytes
  BucketPart representatives, markers;
};

// The launch parameters of bucket_programs.cu.
struct BucketParams {
  BucketView scene;
  cuda::DeviceLookups lookups;
  std::uint64_t first;     // the launch's first thread
  bool both_ends;          // two threads a lookup, for both ends of its range
  std::uint32_t stride;    // of the output
  std::uint32_t* buckets;  // the output: a bucket, or no_bucket
};

}  // namespace rtindex::optix
