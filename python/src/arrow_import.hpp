#pragma once

#include <nanobind/nanobind.h>

#include "column.hpp"

namespace rtindex::python {

// The column behind an object with `__arrow_c_stream__` or `__arrow_c_array__`, where it lies.
// Structs and tables become composites. Only bools are copied, from bits to bytes; of strings
// without offsets, views are made.
[[nodiscard]] Column from_arrow(nanobind::handle object);

}  // namespace rtindex::python
