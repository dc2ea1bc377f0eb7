#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <rtindex/index.hpp>

#include "column.hpp"

namespace rtindex::python {

// One call from Python: its lookups, and how to answer them.
struct Call {
  const Column& lower;
  const Column* upper;    // null: point lookups
  const Column* values;   // null: none, or the included ones
  nanobind::object miss;  // None: the reserved values
};

// Writable arrays in host memory, by the answer's name or "matched". "counters": four uint64 to
// which the counters are added.
using HostArrays = nanobind::dict;

// Answers a call in host memory with the GIL released. With a row limit it returns (offsets, rows),
// at most so many rows per lookup; without one, None.
[[nodiscard]] nanobind::object answer(const Index& index, const Call& call,
                                      const HostArrays& outputs,
                                      std::optional<std::uint32_t> row_limit);

// Device addresses of the outputs, by the answer's name, "offsets" or "rows".
struct DeviceArrays {
  std::map<std::string, std::uintptr_t> addresses;
  std::size_t rows_capacity;
};

// Queues a call on device memory on a CUDA stream, with the GIL released.
void answer_on_device(const Index& index, const Call& call, const DeviceArrays& outputs,
                      std::uint32_t row_limit, std::uintptr_t stream);

}  // namespace rtindex::python
