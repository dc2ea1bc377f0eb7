#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/cuda/device_array.hpp"
#include "engine/cuda/device_lookups.hpp"
#include "engine/cuda/device_structure.hpp"
#include "engine/segment.hpp"
#include "keys/cuda/device_keys.hpp"

namespace rtindex::cuda {

// A native column on the GPU: where it is, or copied from the host.
class OnGpuElements {
 public:
  OnGpuElements() = default;
  OnGpuElements(const ColumnView& column, const Queue& queue);

  [[nodiscard]] const DeviceElements& elements() const { return elements_; }
  [[nodiscard]] ColumnView view() const;

 private:
  Type type_ = Type::u64;
  DeviceElements elements_;
  DeviceArray<std::uint8_t> copy_, validity_;
};

// A column of strings or tuples on the GPU: where it is, or copied from the host.
class OnGpuTuples {
 public:
  OnGpuTuples(const ColumnView& column, const Queue& queue);

  [[nodiscard]] const DeviceTuples& tuples() const { return tuples_; }

 private:
  std::vector<DeviceBytes> copies_;
  DeviceTuples tuples_;
};

// The arrays of a segment that keeps its keys in order.
[[nodiscard]] inline const OrderedArrays& arrays_of(const Segment& segment) {
  return dynamic_cast<const DeviceStructure&>(*segment.structure).arrays();
}

// The same row bitmaps in host memory, for work that the host does, and back on the current GPU.
[[nodiscard]] RowBitmapPtr on_host(const RowBitmapPtr& bitmap);
[[nodiscard]] std::vector<Segment> on_host(std::span<const Segment> segments);
[[nodiscard]] NewSegment on_device(NewSegment made, const std::shared_ptr<DeviceMemory>& memory);

}  // namespace rtindex::cuda
