#pragma once

#include <nanobind/nanobind.h>

namespace rtindex::python {

// Each adds one part of the bindings to the module.
void bind_columns(nanobind::module_& module);
void bind_arrow_answers(nanobind::module_& module);
void bind_index(nanobind::module_& module);
void bind_joins(nanobind::module_& module);
void bind_pictures(nanobind::module_& module);

}  // namespace rtindex::python
