#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>

#include <rtindex/index.hpp>

#include "bind.hpp"
#include "buffer.hpp"
#include "column.hpp"
#include "long_call.hpp"
#include "outputs.hpp"
#include "stub_types.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

std::string metadata(const Index& index, const std::string& name) {
  const std::map<std::string, std::string> texts = index.metadata();
  const auto found = texts.find(name);
  return found == texts.end() ? "" : found->second;
}

// The unit of the column, or the units of its parts, separated by commas.
std::string units_of(const Index& index) {
  if (std::string stored = metadata(index, "time_units"); !stored.empty()) return stored;
  const std::vector<TimeUnit> parts = index.part_time_units();
  if (parts.empty()) return std::string(name_of(index.time_unit()));
  std::vector<std::string> units;
  units.reserve(parts.size());
  for (const TimeUnit unit : parts) units.emplace_back(name_of(unit));
  return joined_units(units);
}

// Where the time zone of an included column is stored.
std::string time_entry(const std::string& column) {
  return column.empty() ? "included_time" : "included_time." + column;
}

// The included columns: name, type, and unit and time zone.
std::vector<std::tuple<std::string, std::string, std::string>> included(const Index& index) {
  std::vector<std::tuple<std::string, std::string, std::string>> columns;
  for (const IncludedType& column : index.included()) {
    std::string time = metadata(index, time_entry(column.name));
    if (time.empty()) time = name_of(column.time_unit);
    columns.emplace_back(column.name, name_of(column.type), std::move(time));
  }
  return columns;
}

// The scales of the included decimals, by name.
std::map<std::string, int> included_scales(const Index& index) {
  std::map<std::string, int> scales;
  for (const IncludedType& column : index.included())
    if (is_decimal(column.type)) scales[column.name] = column.scale;
  return scales;
}

// Columns with their names, and the memory that was allocated for them.
using NamedColumns = std::vector<std::pair<std::string, const Column*>>;
struct OwnedColumns {
  explicit OwnedColumns(const NamedColumns& named) {
    std::vector<IncludedColumn> views;
    for (const auto& [name, column] : named) {
      owned.push_back(as_one_view(*column));
      views.push_back({name, with_units(owned.back().view, column->unit())});
    }
    columns = std::move(views);
  }

  std::vector<OwnedView> owned;
  IncludedColumns columns;
};

Stream stream_at(std::uintptr_t address) { return {reinterpret_cast<void*>(address)}; }

// `included_times`: unit and time zone of each included column.
Index build_index(const Column& column, const std::string& spec, const NamedColumns& include,
                  const std::vector<std::string>& included_times, std::uintptr_t stream,
                  const std::map<std::string, std::string>& texts) {
  const LongCall running;
  const OwnedView keys = as_one_view(column);
  const OwnedColumns values(include);
  const BuildOptions options{.include = values.columns, .stream = stream_at(stream)};
  Index index = build(with_units(keys.view, column.unit()), Spec(spec), options);
  if (units_of(index) != column.unit()) index.set_metadata("time_units", column.unit());
  const auto stored = included(index);
  for (std::size_t i = 0; i < stored.size(); ++i)
    if (std::get<2>(stored[i]) != included_times[i])
      index.set_metadata(time_entry(std::get<0>(stored[i])), included_times[i]);
  for (const auto& [name, text] : texts) index.set_metadata(name, text);
  return index;
}

// The bytes of a file of the index, as a NumPy array.
AnyObject serialize(const Index& index) {
  std::vector<std::byte> bytes;
  {
    const LongCall running;
    bytes = index.serialize();
  }
  return as_array<std::byte, std::uint8_t>(std::move(bytes));
}

Index deserialize_index(nb::handle object) {
  const Buffer buffer(object.ptr(), Buffer::Access::read);
  const std::span bytes(static_cast<const std::byte*>(buffer.data()), buffer.bytes());
  const LongCall running;
  return deserialize(bytes, {.verify = Verify::full});
}

Index copy_index(const Index& index) {
  const LongCall running;
  return index.copy();
}

Index load_index(const std::string& path, bool full) {
  const LongCall running;
  return load(path, {.verify = full ? Verify::full : Verify::quick});
}

std::uint32_t insert_rows(Index& index, const Column& keys, const NamedColumns& values,
                          std::uintptr_t stream) {
  const LongCall running;
  const OwnedColumns included(values);
  return index.insert(as_one_view(keys).view, included.columns, stream_at(stream));
}

void erase_rows(Index& index, const Column& rows, std::uintptr_t stream) {
  const LongCall running;
  index.erase(as_one_view(rows).view, stream_at(stream));
}

std::size_t erase_keys(Index& index, const Column& keys, std::uintptr_t stream) {
  const LongCall running;
  return index.erase_keys(as_one_view(keys).view, stream_at(stream));
}

void update_index(Index& index, const Column& rows, const Column& keys, std::uintptr_t stream) {
  const LongCall running;
  index.update(as_one_view(rows).view, as_one_view(keys).view, stream_at(stream));
}

void set_included(Index& index, const Column& rows, const Column& values, const std::string& name,
                  std::uintptr_t stream) {
  const LongCall running;
  index.set_included(as_one_view(rows).view, as_one_view(values).view, name, stream_at(stream));
}

void merge_index(Index& index) {
  const LongCall running;
  index.merge();
}

void save_index(const Index& index, const std::string& path) {
  const LongCall running;
  index.save(path);
}

bool supports(const Index& index, std::string_view answer, std::string_view query) {
  return index.supports(answer_named(answer), query_kind_named(query));
}

nb::typed<nb::tuple, std::size_t, std::size_t, decltype(MemoryUsage::parts)> memory_usage(
    const Index& index) {
  const MemoryUsage usage = index.memory_usage();
  return nb::make_tuple(usage.resident, usage.build_peak, usage.parts);
}

std::vector<std::tuple<std::string, bool, std::string>> known_indexes() {
  std::vector<std::tuple<std::string, bool, std::string>> known;
  for (const IndexInfo& index : indexes())
    known.emplace_back(index.spec, index.available, index.reason);
  return known;
}

}  // namespace

void bind_index(nb::module_& module) {
  nb::class_<Index> index(module, "Index", "An index over one column.");
  bind_answers(index);
  bind_walk(index);
  index.def("insert", insert_rows, nb::arg("keys"), nb::arg("values"), nb::arg("stream"))
      .def("erase", erase_rows, nb::arg("rows"), nb::arg("stream"))
      .def("erase_keys", erase_keys, nb::arg("keys"), nb::arg("stream"))
      .def("update", update_index, nb::arg("rows"), nb::arg("keys"), nb::arg("stream"))
      .def("set_included", set_included, nb::arg("rows"), nb::arg("values"), nb::arg("name"),
           nb::arg("stream"))
      .def("merge", merge_index)
      .def("snapshot", &Index::snapshot)
      .def("save", save_index, nb::arg("path"))
      .def("serialize", serialize)
      .def("copy", copy_index)
      .def("supports", supports, nb::arg("answer"), nb::arg("query"))
      .def("describe", &Index::describe)
      .def("memory_usage", memory_usage)
      .def("build_profile", &Index::build_profile)
      .def("__len__", &Index::size)
      .def_prop_ro("valid", &Index::valid)
      .def_prop_ro("type", [](const Index& index) { return name_of(index.type()); })
      .def_prop_ro("interval_ends",
                   [](const Index& index) {
                     const std::optional<Ends> ends = index.interval_ends();
                     return ends ? std::string(name_of(*ends)) : "";
                   })
      .def_prop_ro("holds_points", &Index::holds_points)
      .def_prop_ro("part_types",
                   [](const Index& index) {
                     std::vector<std::string_view> names;
                     for (const Type type : index.part_types()) names.push_back(name_of(type));
                     return names;
                   })
      .def_prop_ro("unit", units_of)
      .def_prop_ro("scales",
                   [](const Index& index) {
                     const std::vector<int> parts = index.part_scales();
                     return parts.empty() ? std::vector{index.scale()} : parts;
                   })
      .def_prop_ro("metadata", &Index::metadata)
      .def_prop_ro("included", included)
      .def_prop_ro("included_scales", included_scales)
      .def_prop_ro("spec", [](const Index& index) { return index.spec().text(); });
  module.def("build", build_index, nb::arg("column"), nb::arg("spec"), nb::arg("include"),
             nb::arg("included_times"), nb::arg("stream"),
             nb::arg("metadata") = std::map<std::string, std::string>());
  module.def("deserialize", deserialize_index, nb::arg("bytes"));
  module.def("load", load_index, nb::arg("path"), nb::arg("full"));
  module.def("indexes", known_indexes);
  module.def("default_spec", [] { return default_spec().text(); });
  module.attr("MISS") = miss_row;
}

}  // namespace rtindex::python
