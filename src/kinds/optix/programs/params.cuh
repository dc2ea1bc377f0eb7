#pragma once

#include "base/search.hpp"
#include "keys/interval.hpp"
#include "kinds/optix/launch_params.hpp"

// The launch parameters of a module, and what its device programs read through them.

// Bytes, because a constant must not need a constructor.
extern "C" {
__constant__ alignas(16) unsigned char launch_params[sizeof(rtindex::optix::LaunchParams)];
}

namespace rtindex::optix {

[[nodiscard]] __device__ inline const LaunchParams& params() {
  return *reinterpret_cast<const LaunchParams*>(launch_params);
}

[[nodiscard]] __device__ inline std::uint64_t key_of(std::uint32_t primitive) {
  return params().scene.key(primitive);
}

// Counts one ray, test or hit, if the call counts its work.
__device__ inline void count_one(std::uint64_t Counters::*what) {
  Counters* const counters = params().lookups.counters;
  if (counters != nullptr)
    atomicAdd(reinterpret_cast<unsigned long long*>(&(counters->*what)), 1ULL);
}

// The rows that hold keys, in order: RowDirectory on the device.
struct OccupiedRows {
  [[nodiscard]] __device__ std::uint64_t size() const { return params().scene.directory_size; }
  [[nodiscard]] __device__ std::uint64_t operator[](std::uint64_t i) const {
    return params().scene.directory[i];
  }
  // The position of the first occupied row that is not before `row`.
  [[nodiscard]] __device__ std::uint64_t find(std::uint64_t row) const {
    return partition_point<std::uint64_t>(0, size(),
                                          [&](std::uint64_t i) { return (*this)[i] < row; });
  }
};

// Calls visit(row) for every row of a range that may hold keys, until it is done.
template <class Visit>
__device__ inline void visit_rows(Interval range, const bool& done, Visit&& visit) {
  const SceneView& scene = params().scene;
  const std::uint64_t first = scene.coordinates.row_of(range.lower);
  const std::uint64_t last = scene.coordinates.row_of(range.upper);
  if (!scene.has_directory || last - first < few_rows) {
    for (std::uint64_t row = first; row <= last && !done; ++row) visit(row);
    return;
  }
  const OccupiedRows occupied;
  for (std::uint64_t i = occupied.find(first); i < occupied.size() && occupied[i] <= last && !done;
       ++i)
    visit(occupied[i]);
}

[[nodiscard]] __device__ inline Interval interval_of(std::uint64_t lookup) {
  const cuda::DeviceLookups& lookups = params().lookups;
  if (lookups.elements != nullptr) {
    const std::uint64_t element = lookups.element_bytes == 4
                                      ? static_cast<const std::uint32_t*>(lookups.elements)[lookup]
                                      : static_cast<const std::uint64_t*>(lookups.elements)[lookup];
    const std::uint64_t key = (element ^ lookups.flip) - lookups.base;
    return key <= lookups.span ? Interval{key, key} : Interval{1, 0};
  }
  return interval_at(lookups.intervals, params().scene.wide, lookup);
}

}  // namespace rtindex::optix
