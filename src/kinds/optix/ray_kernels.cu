#include "kinds/optix/ray_kernels.hpp"

#include <cub/device/device_segmented_sort.cuh>

#include <type_traits>

#include "base/cuda/launch.cuh"

namespace rtindex::optix {

namespace {

using cuda::block_threads;
using cuda::blocks_for;
using cuda::Run;

template <class Params>
__global__ void store(Params params, Params* to) {
  *to = params;
}

template <class Params>
void store_one(const Params& params, void* to, cudaStream_t stream) {
  static_assert(std::is_trivially_copyable_v<Params> && sizeof(Params) <= 4096,
                "a kernel takes it as an argument");
  store<<<1, 1, 0, stream>>>(params, static_cast<Params*>(to));
  cuda::check_launch("preparing a launch");
}

__global__ void from_counts(const std::uint32_t* counts, std::size_t lookups, Run* runs) {
  const std::size_t i = cuda::thread_number();
  if (i < lookups) runs[i] = {0, counts[i]};
}

__global__ void from_offsets(const std::uint64_t* offsets, std::size_t lookups, Run* runs) {
  const std::size_t i = cuda::thread_number();
  if (i < lookups)
    runs[i] = {static_cast<std::uint32_t>(offsets[i]), static_cast<std::uint32_t>(offsets[i + 1])};
}

__global__ void to_rows(const std::uint32_t* rows, std::uint32_t* primitives, std::size_t count) {
  const std::size_t i = cuda::thread_number();
  if (i < count) primitives[i] = rows[primitives[i]];
}

__global__ void to_keys(SceneView scene, const std::uint32_t* primitives, std::size_t count,
                        std::uint64_t* keys) {
  const std::size_t i = cuda::thread_number();
  if (i < count) keys[i] = scene.key(primitives[i]);
}

}  // namespace

void store_params(const LaunchParams& params, void* to, cudaStream_t stream) {
  store_one(params, to, stream);
}

void store_params(const BucketParams& params, void* to, cudaStream_t stream) {
  store_one(params, to, stream);
}

void runs_of_counts(const std::uint32_t* counts, std::size_t lookups, Run* runs,
                    cudaStream_t stream) {
  if (lookups == 0) return;
  from_counts<<<blocks_for(lookups), block_threads, 0, stream>>>(counts, lookups, runs);
  cuda::check_launch("collecting rowIDs");
}

void runs_of_offsets(const std::uint64_t* offsets, std::size_t lookups, Run* runs,
                     cudaStream_t stream) {
  if (lookups == 0) return;
  from_offsets<<<blocks_for(lookups), block_threads, 0, stream>>>(offsets, lookups, runs);
  cuda::check_launch("collecting rowIDs");
}

void name_rows(const std::uint32_t* rows, std::uint32_t* primitives, std::size_t count,
               cudaStream_t stream) {
  if (count == 0) return;
  to_rows<<<blocks_for(count), block_threads, 0, stream>>>(rows, primitives, count);
  cuda::check_launch("collecting rowIDs");
}

// Primitives are in the order of rows, and the second sort is stable.
void sort_hits(const SceneView& scene, const std::uint64_t* offsets, std::size_t lookups,
               cuda::DeviceArray<std::uint32_t>& primitives, cuda::DeviceArray<std::uint64_t>& keys,
               const cuda::Queue& queue) {
  using Sort = cub::DeviceSegmentedSort;
  const std::size_t count = primitives.size();
  if (count == 0) return;
  const auto items = static_cast<std::int64_t>(count);
  const auto segments = static_cast<std::int64_t>(lookups);
  cuda::DeviceArray<std::uint32_t> by_row(queue, count);
  cuda::with_scratch(queue, "sorting rowIDs", [&](void* scratch, std::size_t& bytes) {
    return Sort::SortKeys(scratch, bytes, primitives.data(), by_row.data(), items, segments,
                          offsets, offsets + 1, queue);
  });
  const cuda::DeviceArray<std::uint64_t> unsorted(queue, count);
  to_keys<<<blocks_for(count), block_threads, 0, queue>>>(scene, by_row.data(), count,
                                                          unsorted.data());
  cuda::check_launch("sorting rowIDs");
  cuda::with_scratch(queue, "sorting rowIDs", [&](void* scratch, std::size_t& bytes) {
    return Sort::StableSortPairs(scratch, bytes, unsorted.data(), keys.data(), by_row.data(),
                                 primitives.data(), items, segments, offsets, offsets + 1, queue);
  });
}

}  // namespace rtindex::optix
