#pragma once

#include <nanobind/nanobind.h>

namespace rtindex::python {

// Return types and parameters as the generated stub shows them. NumPy arrays are Any there.
using AnyObject = nanobind::typed<nanobind::object, nanobind::any>;
using AnyList = nanobind::typed<nanobind::list, nanobind::any>;
using AnyPair = nanobind::typed<nanobind::tuple, nanobind::any, nanobind::any>;

}  // namespace rtindex::python
