#include "kinds/optix/scene_kernels.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include <bit>
#include <utility>

#include "base/cuda/launch.cuh"

namespace rtindex::optix {

namespace {

using cuda::block_threads;
using cuda::blocks_for;
using cuda::check;

template <class Key>
__global__ void write_primitives(Coordinates coordinates, Primitive primitive, const Key* keys,
                                 std::size_t count, void* primitives) {
  const std::size_t i = cuda::thread_number();
  if (i >= count) return;
  if (primitive == Primitive::triangle)
    static_cast<Triangle*>(primitives)[i] = triangle_at(coordinates, keys[i]);
  else if (primitive == Primitive::sphere)
    static_cast<Point*>(primitives)[i] = coordinates.point_of(keys[i]);
  else
    static_cast<Aabb*>(primitives)[i] = box_at(coordinates, keys[i]);
}

template <class Key>
__global__ void take_rows(Coordinates coordinates, const Key* keys, std::size_t count,
                          std::uint64_t* rows) {
  const std::size_t i = cuda::thread_number();
  if (i < count) rows[i] = coordinates.row_of(keys[i]);
}

// Calls work(keys of their own type).
template <class Work>
void with_keys(const cuda::DeviceColumn& column, Work&& work) {
  if (column.is_wide())
    work(column.wide.data());
  else
    work(column.narrow.data());
}

}  // namespace

void write_primitives(const Coordinates& coordinates, Primitive primitive,
                      const cuda::DeviceColumn& column, std::size_t first, std::size_t count,
                      void* primitives, cudaStream_t stream) {
  if (count == 0) return;
  with_keys(column, [&](const auto* keys) {
    write_primitives<<<blocks_for(count), block_threads, 0, stream>>>(
        coordinates, primitive, keys + first, count, primitives);
  });
  cuda::check_launch("placing primitives");
}

cuda::DeviceArray<std::uint64_t> occupied_rows(const Coordinates& coordinates,
                                               const cuda::DeviceColumn& column,
                                               const cuda::Queue& queue) {
  constexpr const char* doing = "looking for rows with keys";
  using Rows = cuda::DeviceArray<std::uint64_t>;
  if (column.size == 0) return {};
  Rows rows(queue, column.size);
  Rows sorted(queue, column.size);
  const cuda::DeviceArray<std::uint64_t> count(queue, 1);
  with_keys(column, [&](const auto* keys) {
    take_rows<<<blocks_for(column.size), block_threads, 0, queue>>>(coordinates, keys, column.size,
                                                                    rows.data());
  });
  cuda::check_launch(doing);
  const int bits = static_cast<int>(std::bit_width(coordinates.row_of(column.span)));
  cuda::with_scratch(queue, doing, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, rows.data(), sorted.data(), column.size,
                                          0, bits == 0 ? 1 : bits, queue);
  });
  cuda::with_scratch(queue, doing, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::Unique(scratch, bytes, sorted.data(), rows.data(), count.data(),
                                     column.size, queue);
  });
  std::uint64_t found = 0;
  check(cudaMemcpyAsync(&found, count.data(), sizeof(found), cudaMemcpyDeviceToHost, queue),
        "copying from the GPU");
  check(cudaStreamSynchronize(queue), doing);
  Rows exact(queue, found);
  check(cudaMemcpyAsync(exact.data(), rows.data(), exact.bytes(), cudaMemcpyDeviceToDevice, queue),
        "copying on the GPU");
  return exact;
}

}  // namespace rtindex::optix
