#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string>

#include "arrow/export.hpp"
#include "column.hpp"

namespace rtindex::python {

// A column from an object with `__arrow_c_stream__` or `__arrow_c_array__`, viewed in place.
// Structs and tables become composites. Only bools are copied, from bits to bytes; strings without
// offsets get an array of views.
[[nodiscard]] Column from_arrow(nanobind::handle object);

// The same from the capsules of `__arrow_c_device_array__`.
struct DeviceColumn {
  Column column;
  std::int32_t device_type;
  std::int64_t device;
  std::uintptr_t event;  // a cudaEvent_t that the buffers wait for; 0: they are ready
};
[[nodiscard]] DeviceColumn from_arrow_device(nanobind::handle schema, nanobind::handle array);
// The device type of the array in a capsule, which stays there.
[[nodiscard]] std::int32_t arrow_device_type(nanobind::handle array);

// An answer as an Arrow array: Arrow libraries read it through `__arrow_c_array__` without a copy,
// and none of them has to be installed here.
class ArrowAnswer {
 public:
  // Elements of an Arrow format ("I": uint32); `validity` is the bitmap of valid elements or None.
  ArrowAnswer(std::string format, std::size_t length, nanobind::handle elements,
              nanobind::handle validity);
  // Lists of uint32 between 64-bit offsets.
  ArrowAnswer(std::size_t length, nanobind::handle offsets, nanobind::handle rows);

  // The protocol's two capsules: schema and array.
  [[nodiscard]] nanobind::tuple capsules() const;

 private:
  arrow::Node node_;
  std::shared_ptr<const void> owner_;
};

}  // namespace rtindex::python
