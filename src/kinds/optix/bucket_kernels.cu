#include "kinds/optix/bucket_kernels.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_select.cuh>

#include "base/cuda/device_array.hpp"
#include "base/cuda/launch.cuh"
#include "base/cuda/transfer.hpp"
#include "base/search.hpp"
#include "engine/cuda/locate.cuh"
#include "order/cuda/order_view.cuh"

namespace rtindex::optix {

namespace {

using cuda::block_threads;
using cuda::blocks_for;
using cuda::Run;

constexpr const char* comparing = "comparing buckets";

// A column in key order, cut into buckets.
template <class KeyType>
struct BucketedOrder {
  using Key = KeyType;

  cuda::OrderView<Key, cuda::Layout::split> order;
  Buckets buckets;

  [[nodiscard]] __device__ std::uint64_t largest_key(std::uint32_t bucket) const {
    return order.key(buckets.end(bucket) - 1);
  }
  // The first position whose key is not less; rays found it in this bucket.
  [[nodiscard]] __device__ std::uint32_t lower_bound(std::uint32_t bucket, Key wanted) const {
    return lower_bound_from_hint(
        order.size, buckets.begin(bucket), buckets.end(bucket), wanted,
        [&](std::uint32_t position) { return order.key(position); },
        [&](std::uint32_t begin, std::uint32_t end) {
          return order.lower_bound(begin, end, wanted);
        });
  }
};

// Calls work(the order for the width of its keys).
template <class Work>
void with_order(const cuda::DeviceOrder& order, const Buckets& buckets, Work&& work) {
  if (order.is_wide())
    work(BucketedOrder<std::uint64_t>{cuda::OrderView<std::uint64_t, cuda::Layout::split>(order),
                                      buckets});
  else
    work(BucketedOrder<std::uint32_t>{cuda::OrderView<std::uint32_t, cuda::Layout::split>(order),
                                      buckets});
}

template <class Order>
__global__ void count_differences(Order order, std::uint32_t* counts) {
  __shared__ std::uint32_t own[64];
  if (threadIdx.x < 64) own[threadIdx.x] = 0;
  __syncthreads();
  const std::uint32_t buckets = order.buckets.count();
  for (std::size_t i = cuda::thread_number() + 1; i < buckets; i += cuda::thread_count()) {
    const auto bucket = static_cast<std::uint32_t>(i);
    const std::uint64_t before = order.largest_key(bucket - 1);
    const std::uint64_t key = order.largest_key(bucket);
    if (before != key) atomicAdd(&own[highest_difference(before, key)], 1U);
  }
  __syncthreads();
  if (threadIdx.x < 64 && own[threadIdx.x] != 0) atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

template <class Order>
struct GapBefore {
  Order order;
  BucketSpace space;
  BucketRole role;

  [[nodiscard]] __device__ std::uint32_t operator()(std::uint32_t bucket) const {
    const std::uint64_t key = order.largest_key(bucket) >> space.dropped;
    if (bucket == 0) return steps_on_axis(space.coordinates, role, key);
    return gap_before(space.coordinates, role, order.largest_key(bucket - 1) >> space.dropped, key);
  }
};

template <class Order>
struct IsFirst {
  Order order;
  BucketSpace space;
  BucketRole role;

  [[nodiscard]] __device__ bool operator()(std::uint32_t bucket) const {
    return bucket == 0 ||
           is_first(space.coordinates, role, order.largest_key(bucket - 1) >> space.dropped,
                    order.largest_key(bucket) >> space.dropped);
  }
};

template <class Order>
__global__ void write_primitives(Order order, BucketSpace space, BucketTriangles triangles,
                                 std::size_t first, std::size_t count, Triangle* to) {
  const std::size_t i = cuda::thread_number();
  if (i >= count) return;
  const std::size_t triangle = first + i;
  const std::uint32_t bucket = triangles.buckets == nullptr ? static_cast<std::uint32_t>(triangle)
                                                            : triangles.buckets[triangle];
  const BucketRole role = !triangles.are_markers             ? BucketRole::representative
                          : triangle < triangles.row_markers ? BucketRole::row_marker
                                                             : BucketRole::plane_marker;
  to[i] = bucket_triangle(space.coordinates, role, order.largest_key(bucket) >> space.dropped);
}

template <class Order, class Reader, class Valid>
__global__ void __launch_bounds__(block_threads)
    rows_kernel(Order sorted, Reader reader, Valid valid, std::size_t count, std::uint32_t* rows) {
  const std::size_t i = cuda::thread_number();
  if (i >= count) return;
  typename Order::Key key;
  const bool possible = reader.read(i, key);
  std::uint32_t& row = rows[i];
  row = possible ? valid(sorted.order.row_at(sorted.lower_bound(row, key), sorted.order.size, key))
                 : miss_row;
}

template <class Order, class Reader>
__global__ void __launch_bounds__(block_threads)
    points_kernel(Order sorted, Reader reader, std::size_t count, Run* runs) {
  const std::size_t i = cuda::thread_number();
  if (i >= count) return;
  typename Order::Key key;
  const bool possible = reader.read(i, key);
  Run& run = runs[i];
  run = possible ? sorted.order.run_at(sorted.lower_bound(run.begin, key), sorted.order.size, key)
                 : Run{0, 0};
}

template <class Order, class Key>
__global__ void __launch_bounds__(block_threads)
    ranges_kernel(Order sorted, const KeyInterval<Key>* intervals, std::size_t count, Key last_key,
                  Run* runs) {
  const std::size_t i = cuda::thread_number();
  if (i >= count) return;
  const KeyInterval<Key> range = intervals[i];
  Run& found = runs[i];
  Run run{0, 0};
  if (range.lower <= range.upper) {
    run.begin = sorted.lower_bound(found.begin, range.lower);
    // No key follows an upper end at the last key, and key + 1 may overflow.
    run.end = range.upper >= last_key
                  ? sorted.order.size
                  : sorted.lower_bound(found.end, static_cast<Key>(range.upper + 1));
    if (run.begin > run.end) run.begin = run.end;
  }
  found = run;
}

}  // namespace

HighestDifferences highest_differences(const cuda::DeviceOrder& order, const Buckets& buckets,
                                       const cuda::Queue& queue) {
  HighestDifferences found{};
  const cuda::DeviceArray<std::uint32_t> counts(queue, found.size());
  cuda::check(cudaMemsetAsync(counts.data(), 0, counts.bytes(), queue), "filling memory");
  with_order(order, buckets, [&](const auto& sorted) {
    count_differences<<<cuda::loop_blocks(buckets.count()), block_threads, 0, queue>>>(
        sorted, counts.data());
  });
  cuda::check_launch(comparing);
  cuda::copy_to_host(found.data(), counts.data(), counts.bytes(), queue);
  return found;
}

std::uint32_t widest_gap(const cuda::DeviceOrder& order, const Buckets& buckets,
                         const BucketSpace& space, BucketRole role, const cuda::Queue& queue) {
  const cuda::DeviceArray<std::uint32_t> widest(queue, 1);
  with_order(order, buckets, [&](const auto& sorted) {
    const auto gaps = thrust::make_transform_iterator(
        thrust::counting_iterator<std::uint32_t>(0),
        GapBefore<std::decay_t<decltype(sorted)>>{sorted, space, role});
    cuda::with_scratch(queue, comparing, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceReduce::Max(scratch, bytes, gaps, widest.data(),
                                    static_cast<std::int64_t>(buckets.count()), queue);
    });
  });
  std::uint32_t found = 0;
  cuda::copy_to_host(&found, widest.data(), sizeof(found), queue);
  return found;
}

cuda::DeviceArray<std::uint32_t> first_buckets(const cuda::DeviceOrder& order,
                                               const Buckets& buckets, const BucketSpace& space,
                                               BucketRole role, const cuda::Queue& queue) {
  constexpr const char* doing = "looking for buckets";
  using List = cuda::DeviceArray<std::uint32_t>;
  const List all(queue, buckets.count());
  const cuda::DeviceArray<std::uint64_t> count(queue, 1);
  with_order(order, buckets, [&](const auto& sorted) {
    const IsFirst<std::decay_t<decltype(sorted)>> is_first{sorted, space, role};
    cuda::with_scratch(queue, doing, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<std::uint32_t>(0),
                                   all.data(), count.data(),
                                   static_cast<std::int64_t>(buckets.count()), is_first, queue);
    });
  });
  std::uint64_t found = 0;
  cuda::copy_to_host(&found, count.data(), sizeof(found), queue);
  List exact(queue, found);
  cuda::check(
      cudaMemcpyAsync(exact.data(), all.data(), exact.bytes(), cudaMemcpyDeviceToDevice, queue),
      "copying on the GPU");
  return exact;
}

void place_triangles(const cuda::DeviceOrder& order, const Buckets& buckets,
                     const BucketSpace& space, const BucketTriangles& triangles, std::size_t first,
                     std::size_t count, Triangle* to, cudaStream_t stream) {
  if (count == 0) return;
  with_order(order, buckets, [&](const auto& sorted) {
    write_primitives<<<blocks_for(count), block_threads, 0, stream>>>(sorted, space, triangles,
                                                                      first, count, to);
  });
  cuda::check_launch("placing triangles");
}

void search_rows(const cuda::DeviceOrder& order, const Buckets& buckets,
                 const cuda::DeviceLookups& lookups, std::uint32_t* rows, cudaStream_t stream) {
  if (lookups.count == 0) return;
  with_order(order, buckets, [&]<class Key>(const BucketedOrder<Key>& sorted) {
    cuda::with_reader<Key>(lookups, [&](auto reader) {
      cuda::with_valid_rows(lookups.deleted, [&](auto valid) {
        rows_kernel<<<blocks_for(lookups.count), block_threads, 0, stream>>>(sorted, reader, valid,
                                                                             lookups.count, rows);
      });
    });
  });
  cuda::check_launch("searching buckets");
}

void search_points(const cuda::DeviceOrder& order, const Buckets& buckets,
                   const cuda::DeviceLookups& lookups, Run* runs, cudaStream_t stream) {
  if (lookups.count == 0) return;
  with_order(order, buckets, [&]<class Key>(const BucketedOrder<Key>& sorted) {
    cuda::with_reader<Key>(lookups, [&](auto reader) {
      points_kernel<<<blocks_for(lookups.count), block_threads, 0, stream>>>(sorted, reader,
                                                                             lookups.count, runs);
    });
  });
  cuda::check_launch("searching buckets");
}

void search_ranges(const cuda::DeviceOrder& order, const Buckets& buckets,
                   const cuda::DeviceLookups& lookups, Run* runs, cudaStream_t stream) {
  if (lookups.count == 0) return;
  with_order(order, buckets, [&]<class Key>(const BucketedOrder<Key>& sorted) {
    ranges_kernel<<<blocks_for(lookups.count), block_threads, 0, stream>>>(
        sorted, static_cast<const KeyInterval<Key>*>(lookups.intervals), lookups.count,
        static_cast<Key>(order.last_key()), runs);
  });
  cuda::check_launch("searching buckets");
}

}  // namespace rtindex::optix
