#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>
#include <tuple>

#include <rtindex/index.hpp>

#include "answering.hpp"
#include "base/error.hpp"
#include "bind.hpp"
#include "column.hpp"
#include "device_call.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

// The column with its units named: one, or those of its parts between commas.
ColumnView with_units(const ColumnView& column, std::string_view units) {
  if (column.type() == Type::timestamp64) return column.with_time_unit(time_unit_named(units));
  if (column.type() != Type::composite || units.empty()) return column;
  std::vector<ColumnView> parts(column.parts().begin(), column.parts().end());
  for (ColumnView& part : parts) {
    const std::string_view unit = units.substr(0, units.find(','));
    units.remove_prefix(std::min(unit.size() + 1, units.size()));
    if (part.type() == Type::timestamp64) part = part.with_time_unit(time_unit_named(unit));
  }
  return ColumnView::composite(std::move(parts))
      .with_validity(column.validity(), column.validity_offset());
}

std::string units_of(const Index& index) {
  std::string units;
  bool any = false;
  for (const TimeUnit unit : index.part_time_units()) {
    any = any || unit != TimeUnit::unspecified;
    units += std::string(name_of(unit)) + ",";
  }
  if (units.empty()) return std::string(name_of(index.time_unit()));
  units.pop_back();
  return any ? units : std::string();
}

std::string included_time_of(const Index& index) {
  const auto found = index.metadata().find("included_time");
  return found == index.metadata().end() ? std::string(name_of(index.included_time_unit()))
                                         : found->second;
}

Index build_index(const Column& column, const std::string& spec, const Column* include,
                  const std::string& included_time, std::uintptr_t stream_address) {
  const Stream stream{reinterpret_cast<void*>(stream_address)};
  const nb::gil_scoped_release unlocked;
  const Laid keys = whole(column);
  BuildOptions options{.stream = stream};
  std::optional<Laid> values;
  if (include != nullptr) options.include = values.emplace(whole(*include)).view;
  Index index = build(with_units(keys.view, column.unit()), Spec(spec), options);
  if (!included_time.empty()) index.set_metadata("included_time", included_time);
  return index;
}

Index load_index(const std::string& path, bool full) {
  const nb::gil_scoped_release unlocked;
  return load(path, {.verify = full ? Verify::full : Verify::quick});
}

nb::object answer_call(const Index& index, const Column& lower, const Column* upper,
                       const Column* values, nb::object miss, nb::dict outputs,
                       std::optional<std::uint32_t> row_limit) {
  return answer(index, {lower, upper, values, std::move(miss), std::move(outputs), row_limit});
}

void device_call(const Index& index, const Column& lower, const Column* upper, const Column* values,
                 nb::object miss, std::map<std::string, std::uintptr_t> outputs,
                 std::size_t rows_capacity, std::uint32_t row_limit, std::uintptr_t stream) {
  answer_on_device(index, {lower, upper, values, std::move(miss), std::move(outputs), rows_capacity,
                           row_limit, stream});
}

void update_index(Index& index, const Column& rows, const Column& keys, std::uintptr_t stream) {
  const nb::gil_scoped_release unlocked;
  index.update(whole(rows).view, whole(keys).view, Stream{reinterpret_cast<void*>(stream)});
}

void save_index(const Index& index, const std::string& path) {
  const nb::gil_scoped_release unlocked;
  index.save(path);
}

bool supports(const Index& index, std::string_view answer, std::string_view lookup) {
  if (lookup != "point" && lookup != "range")
    fail("unknown kind of lookup '{}': choose point or range", lookup);
  return index.supports(answer_named(answer),
                        lookup == "point" ? LookupKind::point : LookupKind::range);
}

std::optional<std::string_view> included(const Index& index) {
  const auto type = index.included();
  return type ? std::optional(name_of(*type)) : std::nullopt;
}

nb::tuple memory(const Index& index) {
  const MemoryUsage bytes = index.memory_usage();
  return nb::make_tuple(bytes.resident, bytes.build_peak, bytes.parts);
}

std::vector<std::tuple<std::string, bool, std::string>> known_indexes() {
  std::vector<std::tuple<std::string, bool, std::string>> known;
  for (const IndexInfo& index : indexes())
    known.emplace_back(index.spec, index.available, index.reason);
  return known;
}

}  // namespace

void bind_index(nb::module_& module) {
  nb::class_<Index>(module, "Index", "An index over one column.")
      .def("answer", answer_call, nb::arg("lower"), nb::arg("upper").none(),
           nb::arg("values").none(), nb::arg("miss").none(), nb::arg("outputs"),
           nb::arg("row_limit").none())
      .def("answer_on_device", device_call, nb::arg("lower"), nb::arg("upper").none(),
           nb::arg("values").none(), nb::arg("miss").none(), nb::arg("outputs"),
           nb::arg("rows_capacity"), nb::arg("row_limit"), nb::arg("stream"))
      .def("update", update_index, nb::arg("rows"), nb::arg("keys"), nb::arg("stream"))
      .def("save", save_index, nb::arg("path"))
      .def("supports", supports, nb::arg("answer"), nb::arg("lookup"))
      .def("describe", &Index::describe)
      .def("memory", memory)
      .def("__len__", &Index::size)
      .def_prop_ro("type", [](const Index& index) { return name_of(index.type()); })
      .def_prop_ro("part_types",
                   [](const Index& index) {
                     std::vector<std::string_view> names;
                     for (const Type type : index.part_types()) names.push_back(name_of(type));
                     return names;
                   })
      .def_prop_ro("unit", units_of)
      .def_prop_ro("included_time", included_time_of)
      .def_prop_ro("included", included)
      .def_prop_ro("spec", [](const Index& index) { return index.spec().text(); });
  module.def("build", build_index, nb::arg("column"), nb::arg("spec"), nb::arg("include").none(),
             nb::arg("included_time"), nb::arg("stream"));
  module.def("load", load_index, nb::arg("path"), nb::arg("full"));
  module.def("indexes", known_indexes);
  module.def("default_spec", [] { return default_spec().text(); });
  module.attr("MISS") = miss_row;
}

}  // namespace rtindex::python
