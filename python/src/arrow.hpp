#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

#include "column.hpp"
#include "stub_types.hpp"

namespace rtindex::python {

// A column from an object with `__arrow_c_stream__` or `__arrow_c_array__`, viewed in place.
[[nodiscard]] Column from_arrow(nanobind::handle object);

// A column from the capsules of `__arrow_c_device_array__`.
struct DeviceColumn {
  Column column;
  std::int64_t device;
  std::uintptr_t event;  // a cudaEvent_t that the buffers wait for; 0: they are ready
};
[[nodiscard]] DeviceColumn from_arrow_device(nanobind::handle schema, nanobind::handle array);
// The device type of the array in a capsule, which stays there.
[[nodiscard]] std::int32_t arrow_device_type(nanobind::handle array);

// A column as an Arrow array: Arrow libraries read it through `__arrow_c_array__` without a copy,
// and none of them has to be installed here.
class ArrowAnswer {
 public:
  // `zone`: of timestamps; empty for none.
  ArrowAnswer(Column column, std::string zone)
      : column_(std::move(column)), zone_(std::move(zone)) {}

  // The protocol's two capsules: schema and array.
  [[nodiscard]] AnyPair capsules() const;

 private:
  Column column_;
  std::string zone_;
};

}  // namespace rtindex::python
