#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "base/cuda/device_array.hpp"
#include "engine/cuda/lookup_view.hpp"
#include "kinds/scene/buckets.hpp"
#include "order/cuda/device_order.hpp"

namespace rtindex::optix {

// Statistics of neighbouring buckets. Both block until they are computed.
[[nodiscard]] HighestDifferences highest_differences(const cuda::DeviceOrder& order,
                                                     const Buckets& buckets,
                                                     const cuda::Queue& queue);
[[nodiscard]] std::uint32_t widest_gap(const cuda::DeviceOrder& order, const Buckets& buckets,
                                       const BucketSpace& space, BucketRole role,
                                       const cuda::Queue& queue);

// The buckets that are the first with their largest key, of their row or of their plane, in order.
// Blocks until they are counted.
[[nodiscard]] cuda::DeviceArray<std::uint32_t> first_buckets(const cuda::DeviceOrder& order,
                                                             const Buckets& buckets,
                                                             const BucketSpace& space,
                                                             BucketRole role,
                                                             const cuda::Queue& queue);

// The buckets of triangles: representatives, or markers, those of rows before those of planes.
struct BucketTriangles {
  const std::uint32_t* buckets = nullptr;  // by triangle; null: triangle i is bucket i
  bool are_markers = false;
  std::uint32_t row_markers = 0;
};

// Writes triangles [first, first + count) to the input of an acceleration structure.
void place_triangles(const cuda::DeviceOrder& order, const Buckets& buckets,
                     const BucketSpace& space, const BucketTriangles& triangles, std::size_t first,
                     std::size_t count, Triangle* to, cudaStream_t stream);

// Replace the buckets that rays found by the answers, in place: the output of a lookup holds its
// bucket as the row, as the begin of the run, or as both ends of the run.
void search_rows(const cuda::DeviceOrder& order, const Buckets& buckets,
                 const cuda::DeviceLookups& lookups, std::uint32_t* rows, cudaStream_t stream);
void search_points(const cuda::DeviceOrder& order, const Buckets& buckets,
                   const cuda::DeviceLookups& lookups, cuda::Run* runs, cudaStream_t stream);
void search_ranges(const cuda::DeviceOrder& order, const Buckets& buckets,
                   const cuda::DeviceLookups& lookups, cuda::Run* runs, cudaStream_t stream);

}  // namespace rtindex::optix
