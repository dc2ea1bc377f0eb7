#include "arrow/export.hpp"

#include <nanobind/stl/string.h>

#include <utility>

#include "arrow.hpp"
#include "bind.hpp"
#include "buffer.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

// Buffers of Python objects. Any thread may release the last array that holds them, so that the GIL
// is taken to free them; nothing is freed once the interpreter has exited.
struct PythonBuffers {
  std::vector<std::unique_ptr<Buffer>> held;

  [[nodiscard]] const void* hold(nb::handle object) {
    if (object.is_none()) return nullptr;
    held.push_back(std::make_unique<Buffer>(object.ptr(), Buffer::Access::read));
    return held.back()->data();
  }
  static void free(const PythonBuffers* buffers) {
    if (Py_IsInitialized() == 0) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    delete buffers;
    PyGILState_Release(state);
  }
};

std::shared_ptr<PythonBuffers> no_buffers() { return {new PythonBuffers, PythonBuffers::free}; }

// A consumer that moves the content out sets its `release` to null.
template <class Struct>
nb::object to_capsule(Struct content, const char* name) {
  PyObject* capsule = PyCapsule_New(new Struct(std::move(content)), name, [](PyObject* self) {
    auto* held = static_cast<Struct*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self)));
    if (held->release != nullptr) held->release(held);
    delete held;
  });
  if (capsule == nullptr) throw nb::python_error();
  return nb::steal(capsule);
}

}  // namespace

ArrowAnswer::ArrowAnswer(std::string format, std::size_t length, nb::handle elements,
                         nb::handle validity) {
  const std::shared_ptr<PythonBuffers> buffers = no_buffers();
  node_ = {std::move(format), "", length, {buffers->hold(validity), buffers->hold(elements)}};
  owner_ = buffers;
}

ArrowAnswer::ArrowAnswer(std::size_t length, nb::handle offsets, nb::handle rows) {
  const std::shared_ptr<PythonBuffers> buffers = no_buffers();
  const void* starts = buffers->hold(offsets);
  node_ = arrow::lists_of_rows("", length, starts, buffers->hold(rows), nb::len(rows));
  owner_ = buffers;
}

nb::tuple ArrowAnswer::capsules() const {
  nb::object schema = to_capsule(arrow::schema_of(node_), "arrow_schema");
  nb::object array = to_capsule(arrow::array_of(node_, owner_), "arrow_array");
  return nb::make_tuple(std::move(schema), std::move(array));
}

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
