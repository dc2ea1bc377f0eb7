#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <rtindex/index.hpp>

#include "column.hpp"
#include "query.hpp"

namespace rtindex::python {

// How to answer a query.
struct Call {
  const Column* values;   // null: none, or the included ones
  std::string included;   // the name of an included column; empty: the only one
  nanobind::object miss;  // None: the reserved values
  // At most so many rows per lookup, in this order; unset: no rows are requested.
  std::optional<std::uint32_t> limit;
  RowOrder order = RowOrder::any;
  // Whether the keys of neighbours are requested as Python objects: keys of no native type.
  bool list_keys = false;
};

// Writable arrays in host memory, by the answer's name or "matched". "counters": four uint64 to
// which the counters are added.
using HostArrays = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;

// Answers a query in host memory with the GIL released. Returns (offsets, rows) and the keys of
// neighbours, each None if it is not requested. The keys are one object for each part of the key:
// bytes that hold native elements, or a list of strings.
[[nodiscard]] nanobind::tuple answer(const Index& index, const OwnedQuery& query, const Call& call,
                                     const HostArrays& outputs);

// Device addresses of the outputs, by the answer's name, "offsets" or "rows".
struct DeviceArrays {
  std::map<std::string, std::uintptr_t> addresses;
  std::size_t rows_capacity;
};

// Queues the answer to a query in device memory on a CUDA stream, with the GIL released.
void answer_on_device(const Index& index, const OwnedQuery& query, const Call& call,
                      const DeviceArrays& outputs, std::uintptr_t stream);

}  // namespace rtindex::python
