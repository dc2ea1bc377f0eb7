#include "base/cuda/launch.cuh"
#include "base/types.hpp"
#include "keys/cuda/device_keys.hpp"

namespace rtindex::cuda {

namespace {

[[nodiscard]] __device__ bool is_valid_tuple(const DeviceTuples& tuples, std::size_t i) {
  for (std::size_t v = 0; v < tuples.validity_count; ++v) {
    const std::size_t bit = i + tuples.validity[v].offset;
    if ((tuples.validity[v].bits[bit / 8] >> (bit % 8) & 1) == 0) return false;
  }
  return true;
}

template <class Key>
__global__ void encode_tuples(const __grid_constant__ DeviceTuples lower,
                              const __grid_constant__ DeviceTuples upper, RangeEnds ends,
                              const __grid_constant__ PackedMap map, KeyInterval<Key>* intervals) {
  const std::size_t i = thread_number();
  if (i >= lower.size) return;
  KeyInterval<Key> result{1, 0};
  if (is_valid_tuple(lower, i) && is_valid_tuple(upper, i)) {
    const Interval interval = encode_interval(map, lower.end, upper.end, i, ends);
    if (!interval.empty())
      result = {static_cast<Key>(interval.lower), static_cast<Key>(interval.upper)};
  }
  intervals[i] = result;
}

__global__ void pack(const __grid_constant__ DeviceTuples tuples,
                     const __grid_constant__ PackedMap map, std::uint64_t* keys) {
  const std::size_t i = thread_number();
  if (i >= tuples.size) return;
  std::uint64_t key = 0;
  for (std::size_t p = 0; p < map.count; ++p) {
    const PackedMap::Part& part = map.parts[p];
    const std::uint64_t own =
        place_end(part.map, tuples.end.parts[p], tuples.end.types[p], i, true).bits - part.map.base;
    key = (part.bits >= 64 ? 0 : key << part.bits) | own;
  }
  keys[i] = key;
}

}  // namespace

DeviceArray<std::uint64_t> pack_tuples(const DeviceTuples& tuples, const PackedMap& map,
                                       const std::shared_ptr<DeviceMemory>& memory,
                                       cudaStream_t stream) {
  DeviceArray<std::uint64_t> keys(memory, tuples.size, stream);
  if (tuples.size == 0) return keys;
  pack<<<blocks_for(tuples.size), block_threads, 0, stream>>>(tuples, map, keys.data());
  check_launch("encoding keys");
  return keys;
}

DeviceTuples device_tuples(const ColumnView& column, std::size_t first, std::size_t count) {
  DeviceTuples tuples;
  tuples.size = count;
  const auto add_validity = [&](const ColumnView& of) {
    if (of.validity() != nullptr)
      tuples.validity[tuples.validity_count++] = {of.validity(), of.validity_offset() + first};
  };
  add_validity(column);
  for (const ColumnView& part : column.parts()) {
    const std::size_t p = tuples.end.count++;
    tuples.end.types[p] = element_type(part.type());
    tuples.end.parts[p] =
        static_cast<const std::byte*>(part.data()) + first * width_of(part.type());
    add_validity(part);
  }
  return tuples;
}

template <class Key>
void encode_lookups(const DeviceTuples& lower, const DeviceTuples& upper, RangeEnds ends,
                    const PackedMap& map, KeyInterval<Key>* intervals, cudaStream_t stream) {
  if (lower.size == 0) return;
  encode_tuples<<<blocks_for(lower.size), block_threads, 0, stream>>>(lower, upper, ends, map,
                                                                      intervals);
  check_launch("encoding lookups");
}

template void encode_lookups(const DeviceTuples&, const DeviceTuples&, RangeEnds, const PackedMap&,
                             KeyInterval<std::uint32_t>*, cudaStream_t);
template void encode_lookups(const DeviceTuples&, const DeviceTuples&, RangeEnds, const PackedMap&,
                             KeyInterval<std::uint64_t>*, cudaStream_t);

}  // namespace rtindex::cuda
