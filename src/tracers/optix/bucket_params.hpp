#pragma once

#include <cstdint>

#include "execution/cuda/locator.hpp"
#include "scene/buckets.hpp"
#include "tracers/optix/abi.hpp"

namespace rtindex::optix {

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
