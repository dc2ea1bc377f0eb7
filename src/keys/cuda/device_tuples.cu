#include "base/cuda/launch.cuh"
#include "base/types.hpp"
#include "keys/cuda/device_keys.hpp"
#include "keys/cuda/tuple_validity.cuh"

namespace rtindex::cuda {

namespace {

template <class Key, bool once>
__global__ void encode_tuples(const __grid_constant__ DeviceTuples lower,
                              const __grid_constant__ DeviceTuples upper, RangeEnds ends,
                              const __grid_constant__ PackedMap map, KeyInterval<Key>* intervals,
                              std::uint8_t* checks) {
  const std::size_t i = thread_number();
  if (i >= lower.size) return;
  KeyInterval<Key> result{1, 0};
  std::uint8_t check = check_none;
  const bool has_upper = once || is_valid_tuple(upper, i);
  if (is_valid_tuple(lower, i) && (has_upper || ends.null_upper_is_none)) {
    const Interval interval =
        once ? encode_point(map, lower.end, i, check)
             : encode_interval(map, lower.end, has_upper ? upper.end : PackedEnd{}, i, ends, check);
    if (!interval.empty())
      result = {static_cast<Key>(interval.lower), static_cast<Key>(interval.upper)};
    else
      check = check_none;
  }
  intervals[i] = result;
  if (checks != nullptr) checks[i] = check;
}

}  // namespace

DeviceTuples device_tuples(const ColumnView& column, std::size_t first, std::size_t count) {
  DeviceTuples tuples;
  tuples.size = count;
  tuples.end.size = count;
  const auto add_validity = [&](const ColumnView& of) {
    if (of.validity() != nullptr)
      tuples.validity[tuples.validity_count++] = {of.validity(), of.validity_offset() + first};
  };
  const auto add_part = [&](const ColumnView& part) {
    const std::size_t p = tuples.end.count++;
    const bool is_string = part.type() == Type::string;
    const std::size_t width = is_string ? part.string_offset_width() : width_of(part.type());
    tuples.end.types[p] = is_string ? string_elements(width) : element_type(part.type());
    tuples.end.bytes[p] = part.string_bytes();
    const void* const elements = is_string ? part.string_offsets() : part.data();
    tuples.end.fields[p] = static_cast<const std::byte*>(elements) + first * width;
    add_validity(part);
  };
  if (column.type() != Type::composite && column.has_value()) add_part(column);
  if (column.type() == Type::composite) add_validity(column);
  for (const ColumnView& part : column.parts()) add_part(part);
  return tuples;
}

template <class Key>
void encode_lookups(const DeviceTuples& lower, const DeviceTuples& upper, RangeEnds ends,
                    const PackedMap& map, KeyInterval<Key>* intervals, std::uint8_t* checks,
                    bool are_points, cudaStream_t stream) {
  if (lower.size == 0) return;
  const bool once = are_points && map.count == 1;
  const auto kernel = once ? encode_tuples<Key, true> : encode_tuples<Key, false>;
  kernel<<<blocks_for(lower.size), block_threads, 0, stream>>>(lower, upper, ends, map, intervals,
                                                               checks);
  check_launch("encoding lookups");
}

template void encode_lookups(const DeviceTuples&, const DeviceTuples&, RangeEnds, const PackedMap&,
                             KeyInterval<std::uint32_t>*, std::uint8_t*, bool, cudaStream_t);
template void encode_lookups(const DeviceTuples&, const DeviceTuples&, RangeEnds, const PackedMap&,
                             KeyInterval<std::uint64_t>*, std::uint8_t*, bool, cudaStream_t);

}  // namespace rtindex::cuda
