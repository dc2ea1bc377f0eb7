#include <rtindex/arrow.hpp>

#include <utility>

#include "arrow.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

// The struct in a capsule of that name.
template <class Struct>
Struct* in_capsule(nb::handle capsule, const char* name) {
  auto* const found = static_cast<Struct*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (found == nullptr) throw nb::python_error();
  return found;
}

ArrowDeviceArray* device_array_in(nb::handle capsule) {
  return in_capsule<ArrowDeviceArray>(capsule, "arrow_device_array");
}

std::string units_in(const ColumnView& view) {
  if (view.type() != Type::composite) return std::string(name_of(view.time_unit()));
  std::vector<std::string> units;
  for (const ColumnView& part : view.parts()) units.emplace_back(name_of(part.time_unit()));
  return joined_units(units);
}

Column column_of(ArrowColumn imported) {
  Column column(imported.chunks.front().type(), units_in(imported.chunks.front()));
  for (ColumnView& chunk : imported.chunks) column.append(std::move(chunk));
  column.keep(std::move(imported.owner));
  return column;
}

}  // namespace

Column from_arrow(nb::handle object) {
  if (nb::hasattr(object, "__arrow_c_array__")) {
    const nb::object capsules = object.attr("__arrow_c_array__")();
    return column_of(import_arrow(in_capsule<ArrowSchema>(capsules[0], "arrow_schema"),
                                  in_capsule<ArrowArray>(capsules[1], "arrow_array")));
  }
  const nb::object capsule = object.attr("__arrow_c_stream__")();
  return column_of(import_arrow(in_capsule<ArrowArrayStream>(capsule, "arrow_array_stream")));
}

DeviceColumn from_arrow_device(nb::handle schema, nb::handle array) {
  ArrowDeviceArray* const from = device_array_in(array);
  Column column = column_of(import_arrow(in_capsule<ArrowSchema>(schema, "arrow_schema"),
                                         &from->array, MemorySpace::device));
  const auto event =
      from->sync_event == nullptr ? 0 : *static_cast<const std::uintptr_t*>(from->sync_event);
  return {std::move(column), from->device_id, event};
}

std::int32_t arrow_device_type(nb::handle array) { return device_array_in(array)->device_type; }

}  // namespace rtindex::python
