#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/cuda/device_array.hpp"
#include "base/cuda/staging.hpp"
#include "engine/cuda/device_lookups.hpp"
#include "keys/cuda/device_keys.hpp"
#include "order/cuda/device_included.hpp"
#include "rows/row_bitmap.hpp"

namespace rtindex::cuda {

// A native column on the GPU: borrowed, or copied from the host.
class OnGpuElements {
 public:
  OnGpuElements() = default;
  OnGpuElements(const ColumnView& column, const Queue& queue);
  // Of a small column. Does not block: it is copied from `staging` once the queue is there.
  OnGpuElements(const ColumnView& column, Staging& staging, const Queue& queue);

  [[nodiscard]] const DeviceElements& elements() const { return elements_; }
  [[nodiscard]] ColumnView view() const;

 private:
  Type type_ = Type::u64;
  DeviceElements elements_;
  DeviceArray<std::uint8_t> copy_, validity_;
};

// Included values on the GPU, and which of them are not null.
class OnGpuValues {
 public:
  OnGpuValues(const ColumnView& column, const Queue& queue);

  [[nodiscard]] ElementValues values() const {
    return {type_, elements_.elements().data, valid_.empty() ? nullptr : valid_.data()};
  }

 private:
  Type type_;
  OnGpuElements elements_;
  DeviceArray<std::uint8_t> valid_;
};

// The rows of the `nulls` null elements of a column, in an index with `row_count` rows; null where
// there are none. Blocks until they are set.
[[nodiscard]] RowBitmapPtr null_rows(const DeviceElements& column, std::size_t nulls, RowIds ids,
                                     std::size_t row_count, const Queue& queue);

// Rejects an element of the new keys that a column of the type cannot hold.
[[noreturn]] void fail_unfit(const ColumnView& keys, std::size_t element, Type type,
                             cudaStream_t stream);

// A column of strings, keys of 128 bits or tuples on the GPU: borrowed, or copied from the host.
class OnGpuTuples {
 public:
  OnGpuTuples(const ColumnView& column, const Queue& queue);

  [[nodiscard]] const DeviceTuples& tuples() const { return tuples_; }

 private:
  std::vector<DeviceBytes> copies_;
  DeviceTuples tuples_;
};

}  // namespace rtindex::cuda
