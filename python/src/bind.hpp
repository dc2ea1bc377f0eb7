#pragma once

#include <nanobind/nanobind.h>

#include <rtindex/index.hpp>

namespace rtindex::python {

// Each adds one part of the bindings to the module.
void bind_columns(nanobind::module_& module);
void bind_arrow_answers(nanobind::module_& module);
void bind_index(nanobind::module_& module);
void bind_number_list(nanobind::module_& module);
void bind_one_box(nanobind::module_& module);
void bind_one_key(nanobind::module_& module);
void bind_queries(nanobind::module_& module);
void bind_pictures(nanobind::module_& module);
void bind_progress(nanobind::module_& module);
void bind_routing(nanobind::module_& module);
void bind_small_batches(nanobind::module_& module);

// The calls of an index that answer queries.
void bind_answers(nanobind::class_<Index>& index);
void bind_walk(nanobind::class_<Index>& index);

}  // namespace rtindex::python
