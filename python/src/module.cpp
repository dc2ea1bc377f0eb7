#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <new>
#include <string>
#include <vector>

#include <rtindex/rtindex.h>
#include <rtindex/error.hpp>
#include <rtindex/version.hpp>

#include "bind.hpp"
#include "without_gil.hpp"
#if RTINDEX_HAS_COMMAND
#include "cli/command.hpp"
#endif

namespace nb = nanobind;

namespace {

// Sets the Python error of that kind. Its class lives in the package, which stubs are made without.
void set_error(rtindex::ErrorKind kind, const char* message) {
  const std::string_view name = rtindex::name_of(kind);
  try {
    const nb::object by_kind = nb::module_::import_("rtindex._errors").attr("BY_KIND");
    const nb::object error = by_kind[nb::str(name.data(), name.size())];
    PyErr_SetString(error.ptr(), message);
  } catch (nb::python_error& failed) {
    failed.restore();
  }
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const rtindex::Error& error) {
    set_error(error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    set_error(rtindex::ErrorKind::out_of_memory, "host memory is exhausted");
  }
}

#if RTINDEX_HAS_COMMAND
int run_command(std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  return rtindex::cli::run_command(static_cast<int>(arguments.size()), pointers.data());
}
#endif

}  // namespace

NB_MODULE(_core, module) {
  namespace python = rtindex::python;
  nb::set_leak_warnings(false);  // an index may live until the interpreter exits
  module.doc() = "Bindings of rtindex's C++ library; use the package `rtindex`, which wraps them.";
  module.attr("version") = RTINDEX_VERSION_STRING;
  module.attr("build_text") = rtindex_build_text();
  module.attr("compiler") = "g++ " __VERSION__;
  nb::register_exception_translator(translate);
  python::bind_columns(module);
  python::bind_arrow_answers(module);
  python::bind_queries(module);
  python::bind_index(module);
  python::bind_number_list(module);
  python::bind_one_box(module);
  python::bind_one_key(module);
  python::bind_pictures(module);
  python::bind_progress(module);
  python::bind_routing(module);
  python::bind_small_batches(module);
#if RTINDEX_HAS_COMMAND
  module.def("run_command", run_command, nb::arg("arguments"),
             nb::call_guard<rtindex::python::WithoutGil>());
#endif
}
