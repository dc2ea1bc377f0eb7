// The device programs of rx:optix with buckets: one module, compiled to PTX and embedded in the
// library. A thread finds the bucket of the first key of a lookup, or of the next key after it.

#include "engine/cuda/locate.cuh"
#include "kinds/optix/launch_params.hpp"
#include "kinds/optix/programs/closest_bucket.hpp"
#include "kinds/optix/programs/device_calls.cuh"
#include "kinds/scene/buckets.hpp"

using namespace rtindex;
using namespace rtindex::optix;

// Bytes, because a constant must not need a constructor.
extern "C" {
__constant__ alignas(16) unsigned char launch_params[sizeof(BucketParams)];
}

namespace {

__device__ const BucketParams& params() {
  return *reinterpret_cast<const BucketParams*>(launch_params);
}

__device__ void count_ray() {
  Counters* const counters = params().lookups.counters;
  if (counters != nullptr) atomicAdd(reinterpret_cast<unsigned long long*>(&counters->rays), 1ULL);
}

__device__ std::uint32_t closest(const BucketPart& part, const Ray& ray) {
  return closest_bucket(
      part, [&](Traversable structure) { return trace_closest(structure, ray, no_bucket); },
      [] { count_ray(); });
}

// The first key of a lookup; false if nothing can match.
template <class Key>
__device__ bool first_key(std::uint64_t lookup, std::uint64_t& key) {
  Key read;
  const bool can_match = cuda::read_key(params().lookups, lookup, read);
  key = read;
  return can_match;
}

// The first key after a range; false if the column ends before it.
template <class Key>
__device__ bool key_after(std::uint64_t lookup, std::uint64_t& key) {
  const auto range = static_cast<const KeyInterval<Key>*>(params().lookups.intervals)[lookup];
  if (range.lower > range.upper || range.upper >= params().scene.last_key) return false;
  key = std::uint64_t{range.upper} + 1;
  return true;
}

template <class Key>
__device__ bool wanted_key(std::uint64_t lookup, bool after, std::uint64_t& key) {
  return after ? key_after<Key>(lookup, key) : first_key<Key>(lookup, key);
}

}  // namespace

extern "C" __global__ void __raygen__find_bucket() {
  const BucketView& scene = params().scene;
  const std::uint64_t thread = params().first + launch_index();
  const std::uint64_t lookup = params().both_ends ? thread / 2 : thread;
  const bool after = params().both_ends && thread % 2 == 1;
  std::uint64_t key;
  const bool wanted = scene.wide ? wanted_key<std::uint64_t>(lookup, after, key)
                                 : wanted_key<std::uint32_t>(lookup, after, key);
  std::uint32_t bucket = no_bucket;
  if (wanted && key <= scene.last_key)
    bucket = find_bucket(
        scene.space, key, [&](const Ray& ray) { return closest(scene.representatives, ray); },
        [&](const Ray& ray) { return closest(scene.markers, ray); });
  params().buckets[lookup * params().stride + (after ? 1 : 0)] = bucket;
}

extern "C" __global__ void __closesthit__leave_primitive() { set_payload(0, primitive_index()); }
