#include "engine/cuda/kept_rows.hpp"

#include <algorithm>

#include "base/types.hpp"
#include "engine/cuda/ordered_searcher.hpp"

namespace rtindex::cuda {

KeptOnGpu::KeptOnGpu(std::span<const Segment> segments, const std::uint32_t* rows,
                     std::size_t count, std::size_t row_count, const Queue& queue)
    : segments_(segments), count_(count), queue_(queue), named_(rows, count, row_count, queue) {}

DeviceElements KeptOnGpu::keys() {
  bits_ = DeviceArray<std::uint64_t>(queue_, count_);
  valid_ = DeviceArray<std::uint32_t>(queue_, RowBits::words_of(count_));
  check(cudaMemsetAsync(valid_.data(), 0, valid_.bytes(), queue_), "filling memory");
  for (const Segment& segment : segments_)
    named_.find_keys(device_searcher(segment).ordered_arrays()->order,
                     segment.codec->native_base().value_or(0), bits_of(segment.deleted),
                     bits_.data(), valid_.data(), queue_);
  return {bits_.data(), bits_type, reinterpret_cast<const std::uint8_t*>(valid_.data()), 0, count_};
}

ElementValues KeptOnGpu::values(std::size_t column) {
  const auto arrays_of = [](const Segment& segment) -> const OrderedArrays& {
    return *device_searcher(segment).ordered_arrays();
  };
  const auto has_nulls = [&](const Segment& segment) {
    return arrays_of(segment).included[column].valid != nullptr;
  };
  const Type type = arrays_of(segments_.front()).included[column].type();
  std::uint8_t* const values = filled(count_ * width_of(type), 0);
  for (const Segment& segment : segments_) {
    const DeviceIncluded& included = arrays_of(segment).included[column];
    named_.find_values(arrays_of(segment).order, *included.values, included.keyless,
                       bits_of(segment.deleted), values, queue_);
  }
  if (std::none_of(segments_.begin(), segments_.end(), has_nulls)) return {type, values};
  // Values of segments without nulls are all valid.
  std::uint8_t* const valid = filled(count_, 1);
  for (const Segment& segment : segments_) {
    if (!has_nulls(segment)) continue;
    const DeviceIncluded& included = arrays_of(segment).included[column];
    named_.find_values(arrays_of(segment).order, *included.valid, included.keyless_valid,
                       bits_of(segment.deleted), valid, queue_);
  }
  return {type, values, valid};
}

std::uint8_t* KeptOnGpu::filled(std::size_t bytes, int byte) {
  values_.emplace_back(queue_, bytes);
  if (bytes != 0)
    check(cudaMemsetAsync(values_.back().data(), byte, bytes, queue_), "filling memory");
  return values_.back().data();
}

}  // namespace rtindex::cuda
