#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include <rtindex/index.hpp>

#include "column.hpp"

namespace rtindex::python {

// A call whose lookups and answers lie in the memory of a GPU.
struct DeviceCall {
  const Column& lower;
  const Column* upper;   // null: point lookups
  const Column* values;  // null: none, or the included ones
  nanobind::object miss;
  // Where answers go, by name, "offsets" and "rows" too: device addresses.
  std::map<std::string, std::uintptr_t> outputs;
  std::size_t rows_capacity;
  std::uint32_t row_limit;
  std::uintptr_t stream;
};

// Queues the call on its stream, with the interpreter's lock released.
void answer_on_device(const Index& index, const DeviceCall& call);

}  // namespace rtindex::python
