#include <nanobind/stl/string.h>

#include <rtindex/error.hpp>
#include <rtindex/version.hpp>

#include "arrow_export.hpp"
#include "bind.hpp"

namespace nb = nanobind;

namespace rtindex::python {

void bind_arrow_answers(nb::module_& module) {
  nb::class_<ArrowAnswer>(module, "ArrowAnswer", "An answer as an Arrow array.")
      .def(nb::init<std::string, std::size_t, nb::handle, nb::handle>(), nb::arg("format"),
           nb::arg("length"), nb::arg("elements"), nb::arg("validity").none())
      .def(nb::init<std::size_t, nb::handle, nb::handle>(), nb::arg("length"), nb::arg("offsets"),
           nb::arg("rows"))
      .def(
          "__arrow_c_array__",
          [](const ArrowAnswer& answer, nb::handle) { return answer.capsules(); },
          nb::arg("requested_schema") = nb::none());
}

}  // namespace rtindex::python

NB_MODULE(_core, module) {
  namespace python = rtindex::python;
  nb::set_leak_warnings(false);  // an index that lives until the interpreter ends is no leak
  module.doc() =
      "rtindex's C++ library; use the package `rtindex`, which gives it Python's manners.";
  module.attr("version") = RTINDEX_VERSION_STRING;
  module.attr("compiler") = "g++ " __VERSION__;
  // NOLINTNEXTLINE(bugprone-throw-keyword-missing,bugprone-unused-raii): making it registers it
  nb::exception<rtindex::Error>(module, "Error", PyExc_ValueError);
  python::bind_columns(module);
  python::bind_arrow_answers(module);
  python::bind_index(module);
  python::bind_joins(module);
  python::bind_pictures(module);
}
