#include "kinds/optix/interval_kernels.hpp"

#include <cub/device/device_scan.cuh>

#include <limits>
#include <string>

#include <rtindex/error.hpp>

#include "base/cuda/launch.cuh"

namespace rtindex::optix {

namespace {

using cuda::block_threads;
using cuda::blocks_for;

constexpr const char* placing_boxes = "placing boxes";

// The number of boxes of each interval, and 0 behind the last.
template <class Key>
__global__ void count_boxes(Coordinates coordinates, const Key* starts, const Key* ends,
                            std::size_t size, std::uint64_t* counts) {
  const std::size_t i = cuda::thread_number();
  if (i > size) return;
  Interval boxes[max_interval_boxes];
  counts[i] =
      i == size
          ? 0
          : static_cast<std::uint64_t>(boxes_of(coordinates, Interval{starts[i], ends[i]}, boxes));
}

template <class Key>
__global__ void list_boxes(Coordinates coordinates, const Key* starts, const Key* ends,
                           std::size_t size, const std::uint64_t* offsets, std::uint32_t* intervals,
                           KeyInterval<Key>* keys) {
  const std::size_t i = cuda::thread_number();
  if (i >= size) return;
  Interval boxes[max_interval_boxes];
  const int count = boxes_of(coordinates, Interval{starts[i], ends[i]}, boxes);
  const std::uint64_t first = offsets[i];
  for (int k = 0; k < count; ++k) {
    intervals[first + k] = static_cast<std::uint32_t>(i);
    keys[first + k] = {static_cast<Key>(boxes[k].lower), static_cast<Key>(boxes[k].upper)};
  }
}

template <class Key>
__global__ void place_boxes(Coordinates coordinates, const KeyInterval<Key>* keys,
                            std::size_t count, Aabb* to) {
  const std::size_t i = cuda::thread_number();
  if (i < count) to[i] = box_between(coordinates, Interval{keys[i].lower, keys[i].upper});
}

// Calls work(starts, ends), of their own type.
template <class Work>
void with_both_ends(const cuda::DeviceColumn& starts, const cuda::DeviceColumn& ends, Work&& work) {
  if (starts.is_wide())
    work(starts.wide.data(), ends.wide.data());
  else
    work(starts.narrow.data(), ends.narrow.data());
}

}  // namespace

IntervalBoxes split_into_boxes(const Coordinates& coordinates, const cuda::DeviceColumn& starts,
                               const cuda::DeviceColumn& ends, const cuda::Queue& queue) {
  const std::size_t size = starts.size;
  IntervalBoxes boxes;
  boxes.wide = starts.is_wide();
  if (size == 0) return boxes;
  const cuda::DeviceArray<std::uint64_t> offsets(queue, size + 1);
  with_both_ends(starts, ends, [&]<class Key>(const Key* from, const Key* to) {
    count_boxes<<<blocks_for(size + 1), block_threads, 0, queue>>>(coordinates, from, to, size,
                                                                   offsets.data());
  });
  cuda::check_launch(placing_boxes);
  cuda::with_scratch(queue, placing_boxes, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, offsets.data(), offsets.data(), size + 1,
                                         queue);
  });
  std::uint64_t total = 0;
  cuda::check(
      cudaMemcpyAsync(&total, offsets.data() + size, sizeof(total), cudaMemcpyDeviceToHost, queue),
      "copying from the GPU");
  cuda::check(cudaStreamSynchronize(queue), placing_boxes);
  if (total > std::numeric_limits<std::uint32_t>::max())
    throw Error("rx:optix holds at most 2^32 - 1 boxes and the intervals take " +
                    std::to_string(total) + ": use rx:native or more x bits",
                ErrorKind::unsupported);
  boxes.intervals = cuda::DeviceArray<std::uint32_t>(queue, total);
  with_both_ends(starts, ends, [&]<class Key>(const Key* from, const Key* to) {
    boxes.keys = cuda::DeviceBytes(queue, total * sizeof(KeyInterval<Key>));
    list_boxes<<<blocks_for(size), block_threads, 0, queue>>>(
        coordinates, from, to, size, offsets.data(), boxes.intervals.data(),
        static_cast<KeyInterval<Key>*>(boxes.keys.data()));
  });
  cuda::check_launch(placing_boxes);
  return boxes;
}

void write_boxes(const Coordinates& coordinates, const IntervalBoxes& boxes, std::size_t first,
                 std::size_t count, void* to, cudaStream_t stream) {
  if (count == 0) return;
  with_key_type(boxes.wide, [&]<class Key>(Key) {
    place_boxes<<<blocks_for(count), block_threads, 0, stream>>>(
        coordinates, static_cast<const KeyInterval<Key>*>(boxes.keys.data()) + first, count,
        static_cast<Aabb*>(to));
  });
  cuda::check_launch(placing_boxes);
}

}  // namespace rtindex::optix
