#include "device_call.hpp"

#include "answering.hpp"
#include "base/error.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

// Which member of Outputs an answer's name stands for.
Outputs outputs_of(const DeviceCall& call) {
  Outputs outputs;
  outputs.memory_space = MemorySpace::device;
  outputs.rows_capacity = call.rows_capacity;
  for (const auto& [name, address] : call.outputs) {
    auto* const memory = reinterpret_cast<void*>(address);
    if (name == "any")
      outputs.any = static_cast<std::uint32_t*>(memory);
    else if (name == "first")
      outputs.first = static_cast<std::uint32_t*>(memory);
    else if (name == "count")
      outputs.count = static_cast<std::uint32_t*>(memory);
    else if (name == "sum")
      outputs.sum = memory;
    else if (name == "min")
      outputs.min = memory;
    else if (name == "max")
      outputs.max = memory;
    else if (name == "offsets")
      outputs.offsets = static_cast<std::uint64_t*>(memory);
    else if (name == "rows")
      outputs.rows = static_cast<std::uint32_t*>(memory);
    else
      fail("there is no array for the answer '{}'", name);
  }
  return outputs;
}

}  // namespace

void answer_on_device(const Index& index, const DeviceCall& call) {
  const Outputs outputs = outputs_of(call);
  LookupOptions options{.limit = call.row_limit,
                        .miss = miss_values(index, call.values, call.miss)};
  options.stream.handle = reinterpret_cast<void*>(call.stream);
  const nb::gil_scoped_release unlocked;
  const Laid values = call.values == nullptr ? Laid() : whole(*call.values);
  options.values = values.view;
  const Laid lower = whole(call.lower);
  if (call.upper == nullptr)
    index.lookup_into(lower.view, options, outputs);
  else
    index.range_into(lower.view, whole(*call.upper).view, options, outputs);
}

}  // namespace rtindex::python
