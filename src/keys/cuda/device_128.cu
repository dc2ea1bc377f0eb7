#include "keys/cuda/device_128.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_reduce.cuh>

#include "base/cuda/launch.cuh"
#include "base/cuda/transfer.hpp"
#include "keys/cuda/tuple_validity.cuh"

namespace rtindex::cuda {

namespace {

[[nodiscard]] __device__ Uint128 bits_at(const DeviceTuples& tuples, std::size_t part,
                                         std::size_t i) {
  const ElementType type = tuples.end.types[part];
  return ordered_bits_128(tuples.end.fields[part], type, i, type).bits;
}

struct ExtentAt {
  DeviceTuples tuples;
  std::size_t part;

  __device__ Extent128 operator()(std::size_t i) const {
    if (!is_valid_tuple(tuples, i)) return {};
    const Uint128 bits = bits_at(tuples, part, i);
    return {bits, bits};
  }
};

struct UnionOfExtents {
  __device__ Extent128 operator()(const Extent128& a, const Extent128& b) const {
    return Extent128::union_of(a, b);
  }
};

template <class Key>
__global__ void encode_each(const __grid_constant__ DeviceTuples tuples, std::size_t part,
                            Map128 map, std::uint64_t* codes, Key* low) {
  const std::size_t i = thread_number();
  if (i >= tuples.size) return;
  const bool is_valid = is_valid_tuple(tuples, i);
  const Uint128 bits = is_valid ? bits_at(tuples, part, i) : 0;
  codes[i] = is_valid ? static_cast<std::uint64_t>(map.encoded(bits)) : 0;
  if (low != nullptr) low[i] = is_valid ? static_cast<Key>(map.low(bits)) : Key{0};
}

}  // namespace

Extent128 extent_of_128(const DeviceTuples& tuples, std::size_t part, const Queue& queue) {
  Extent128 extent;
  if (tuples.size == 0) return extent;
  const DeviceArray<Extent128> found(queue, 1);
  with_scratch(queue, "looking for the smallest key", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::TransformReduce(
        scratch, bytes, thrust::counting_iterator<std::size_t>(0), found.data(),
        static_cast<std::int64_t>(tuples.size), UnionOfExtents{}, ExtentAt{tuples, part},
        Extent128{}, queue);
  });
  copy_to_host(&extent, found.data(), sizeof(extent), queue);
  return extent;
}

DeviceCodes128 encode_128(const DeviceTuples& tuples, std::size_t part, const Map128& map,
                          const Queue& queue) {
  DeviceCodes128 result;
  result.codes = DeviceArray<std::uint64_t>(queue, tuples.size);
  result.low.is_wide = is_wide(map.low_mask());
  with_key_type(result.low.is_wide, [&]<class Key>(Key) {
    if (map.dropped != 0) {
      result.low.size = tuples.size;
      result.low.keys = DeviceBytes(queue, tuples.size * sizeof(Key));
    }
    if (tuples.size != 0)
      encode_each<<<blocks_for(tuples.size), block_threads, 0, queue>>>(
          tuples, part, map, result.codes.data(), static_cast<Key*>(result.low.keys.data()));
  });
  check_launch("encoding keys");
  return result;
}

}  // namespace rtindex::cuda
