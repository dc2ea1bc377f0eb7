#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <rtindex/error.hpp>

#include "arrow.hpp"
#include "bind.hpp"
#include "buffer.hpp"
#include "column.hpp"
#include "stub_types.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

Type native_type_named(std::string_view name) {
  const Type type = type_named(name);
  if (!is_native(type)) throw Error(fmt::format("expected a native type, got {}", name));
  return type;
}

Column one_piece(Type type, const std::string& unit, ColumnView view, Owner owner,
                 nb::handle validity) {
  Column column(type, unit);
  if (!validity.is_none()) {
    auto bitmap = std::make_shared<Buffer>(validity.ptr(), Buffer::Access::read);
    if (bitmap->bytes() * 8 < view.size())
      throw Error(fmt::format("the validity bitmap has {} bits and the column {} elements",
                              bitmap->bytes() * 8, view.size()));
    view = view.with_validity(static_cast<const std::uint8_t*>(bitmap->data()));
    column.keep(std::move(bitmap));
  }
  column.append(std::move(view));
  column.keep(std::move(owner));
  return column;
}

Column element_column(std::string_view type_name, nb::handle array, const std::string& unit,
                      nb::handle validity, int scale) {
  const Type type = type_named(type_name);
  if (width_of(type) == 0)
    throw Error(fmt::format("expected a type of elements, got {}", type_name));
  auto buffer = std::make_shared<Buffer>(array.ptr(), Buffer::Access::read);
  ColumnView view = ColumnView::of(type, buffer->data(), buffer->bytes() / width_of(type));
  if (is_decimal(type)) view = view.with_scale(scale);
  return one_piece(type, unit, view, std::move(buffer), validity);
}

// `owner` keeps the device memory, which is not read here.
Column on_device(std::string_view type_name, std::uintptr_t address, std::size_t size,
                 nb::object owner) {
  const Type type = native_type_named(type_name);
  Column column(type, "");
  column.append(ColumnView::of(type, reinterpret_cast<const void*>(address), size).on_device());
  column.keep(std::make_shared<nb::object>(std::move(owner)));
  return column;
}

// Strings of `size` + 1 offsets of 4 or 8 bytes.
Column strings_on_device(std::size_t offset_bytes, std::uintptr_t offsets, std::size_t size,
                         std::uintptr_t bytes, std::uintptr_t validity, nb::object owner) {
  const auto view_of = [&]<class Offset>(Offset) {
    return ColumnView::strings(
        std::span(reinterpret_cast<const Offset*>(offsets), offsets == 0 ? 0 : size + 1),
        reinterpret_cast<const char*>(bytes));
  };
  ColumnView view =
      offset_bytes == sizeof(std::int64_t) ? view_of(std::int64_t{}) : view_of(std::int32_t{});
  if (validity != 0) view = view.with_validity(reinterpret_cast<const std::uint8_t*>(validity));
  Column column(Type::string, "");
  column.append(view.on_device());
  column.keep(std::make_shared<nb::object>(std::move(owner)));
  return column;
}

Column fixed_strings(nb::handle array, std::size_t width, std::size_t size) {
  auto buffer = std::make_shared<Buffer>(array.ptr(), Buffer::Access::read);
  if (buffer->bytes() < width * size)
    throw Error(
        fmt::format("expected {} strings of {} bytes, got {} bytes", size, width, buffer->bytes()));
  const ColumnView view =
      ColumnView::fixed_strings(static_cast<const char*>(buffer->data()), width, size);
  return one_piece(Type::string, "", view, std::move(buffer), nb::none());
}

// The bytes of a Python string; they live as long as it does.
std::string_view bytes_of(nb::handle object, std::size_t position) {
  if (PyBytes_Check(object.ptr()))
    return {PyBytes_AsString(object.ptr()), static_cast<std::size_t>(PyBytes_Size(object.ptr()))};
  if (!PyUnicode_Check(object.ptr()))
    throw Error(fmt::format(
        "invalid element {}: expected a string, bytes or None as in the rest of the list",
        position));
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (bytes == nullptr) throw nb::python_error();
  return {bytes, static_cast<std::size_t>(size)};
}

struct PythonStrings {
  nb::list objects;
  std::vector<std::string_view> views;
  std::vector<std::uint8_t> validity;
};

Column strings(AnyList objects) {
  auto strings = std::make_shared<PythonStrings>();
  strings->objects = std::move(objects);
  const std::size_t size = nb::len(strings->objects);
  strings->views.resize(size);
  strings->validity.assign((size + 7) / 8, 0);
  bool has_nulls = false;
  for (std::size_t i = 0; i < size; ++i) {
    const nb::handle object = strings->objects[i];
    has_nulls |= object.is_none();
    if (object.is_none()) continue;
    strings->views[i] = bytes_of(object, i);
    strings->validity[i / 8] |= static_cast<std::uint8_t>(1U << (i % 8));
  }
  ColumnView view(strings->views);
  if (has_nulls) view = view.with_validity(strings->validity.data());
  Column column(Type::string, "");
  column.append(std::move(view));
  column.keep(std::move(strings));
  return column;
}

using RescaledColumn =
    nb::typed<nb::tuple, Column, std::optional<std::pair<std::size_t, std::int64_t>>>;

RescaledColumn rescaled_column(const Column& column, std::string_view type, const std::string& unit,
                               int scale, std::int64_t multiplier, std::int64_t divisor,
                               int direction, bool open) {
  Rescaled found =
      rescaled(column, {type_named(type), unit, scale, multiplier, divisor, {direction, open}});
  nb::object rejected = nb::none();
  if (found.rejected) rejected = nb::make_tuple(found.rejected->first, found.rejected->second);
  return nb::make_tuple(std::move(found.column), rejected);
}

std::vector<std::string_view> part_types(const Column& column) {
  std::vector<std::string_view> names;
  if (!column.pieces().empty())
    for (const ColumnView& part : column.pieces().front().parts())
      names.push_back(name_of(part.type()));
  return names;
}

}  // namespace

void bind_columns(nb::module_& module) {
  nb::class_<Column>(module, "Column", "A column in the memory of Python objects.")
      .def_static("elements", element_column, nb::arg("type"), nb::arg("array"),
                  nb::arg("unit") = "", nb::arg("validity") = nb::none(), nb::arg("scale") = 0,
                  "A contiguous array of elements of one width.")
      .def_static("device", on_device, nb::arg("type"), nb::arg("address"), nb::arg("size"),
                  nb::arg("owner"), "A contiguous array of a native type in device memory.")
      .def_static("device_strings", strings_on_device, nb::arg("offset_bytes"), nb::arg("offsets"),
                  nb::arg("size"), nb::arg("bytes"), nb::arg("validity"), nb::arg("owner"),
                  "Strings in device memory, in Arrow's layout.")
      .def_static(
          "arrow_device",
          [](nb::handle schema,
             nb::handle array) -> nb::typed<nb::tuple, Column, std::int64_t, std::uintptr_t> {
            DeviceColumn found = from_arrow_device(schema, array);
            return nb::make_tuple(std::move(found.column), found.device, found.event);
          },
          nb::arg("schema"), nb::arg("array"),
          "An Arrow array in device memory, its GPU and the event that it waits for or 0.")
      .def_static("arrow_device_type", arrow_device_type, nb::arg("array"),
                  "The device type of an Arrow device array.")
      .def_static("fixed_strings", fixed_strings, nb::arg("array"), nb::arg("width"),
                  nb::arg("size"), "Strings of one width, back to back.")
      .def_static("strings", strings, nb::arg("objects"), "str and bytes; None is a null.")
      .def_static("arrow", from_arrow, nb::arg("object"), "An Arrow array, stream or table.")
      .def_static(
          "composite", [](const std::vector<const Column*>& parts) { return composite(parts, {}); },
          nb::arg("parts"), "Columns of one length, as tuples.")
      .def_static(
          "points",
          [](const std::vector<const Column*>& parts) {
            return composite(parts, {.are_points = true});
          },
          nb::arg("parts"), "Columns of one length, as points.")
      .def_static(
          "intervals",
          [](const std::vector<const Column*>& parts, std::string_view ends) {
            return composite(parts, {.interval_ends = ends_named(ends)});
          },
          nb::arg("parts"), nb::arg("ends"), "Leading columns, starts and ends, as intervals.")
      .def_static(
          "open_end",
          [](std::string_view type, const std::string& unit, std::size_t size, bool upper) {
            return open_end(type_named(type), unit, size, upper);
          },
          nb::arg("type"), nb::arg("unit"), nb::arg("size"), nb::arg("upper"),
          "Ends of ranges that exclude no key.")
      .def(
          "whole_numbers",
          [](const Column& column, std::string_view type, int direction, bool open,
             std::string rejection) {
            return whole_numbers(column, native_type_named(type),
                                 {direction, open, std::move(rejection)});
          },
          nb::arg("type"), nb::arg("direction"), nb::arg("open"), nb::arg("rejection"),
          "Floats as lookups on a column of integers.")
      .def("rescaled", rescaled_column, nb::arg("type"), nb::arg("unit"), nb::arg("scale"),
           nb::arg("multiplier"), nb::arg("divisor"), nb::arg("direction"), nb::arg("open"),
           "Integers in another unit, and the first that has none: position and element, or None.")
      .def("repeated", repeated, nb::arg("count"), "A column of one element, `count` times.")
      .def("nan_as_null", nan_as_null, "The column with its NaNs as nulls.")
      .def("__len__", &Column::size)
      .def_prop_ro("type", [](const Column& column) { return name_of(column.type()); })
      .def_prop_ro("part_types", part_types)
      .def_prop_ro("unit", &Column::unit)
      .def_prop_ro("scale",
                   [](const Column& column) {
                     return column.pieces().empty() ? 0 : column.pieces().front().scale();
                   })
      .def_prop_ro("on_device", &Column::on_device)
      .def_prop_ro("rounded", &Column::rounded)
      .def_prop_ro("address", &Column::address)
      .def_prop_ro("chunks", [](const Column& column) { return column.pieces().size(); });
}

}  // namespace rtindex::python
