#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <rtindex/arrow.hpp>

#include "arrow.hpp"
#include "bind.hpp"
#include "buffer.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

// Owns memory of Python objects. Any thread may release the last array that holds it, so that the
// GIL is taken to free it; nothing is freed once the interpreter has exited.
template <class T>
std::shared_ptr<const T> freed_with_gil(std::unique_ptr<const T> held) {
  return {held.release(), [](const T* memory) {
            if (Py_IsInitialized() == 0) return;
            const PyGILState_STATE state = PyGILState_Ensure();
            delete memory;
            PyGILState_Release(state);
          }};
}

// A consumer that moves the content out sets its `release` to null.
template <class Struct>
nb::object to_capsule(const Struct& content, const char* name) {
  PyObject* capsule = PyCapsule_New(new Struct(content), name, [](PyObject* self) {
    auto* held = static_cast<Struct*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self)));
    if (held->release != nullptr) held->release(held);
    delete held;
  });
  if (capsule == nullptr) throw nb::python_error();
  return nb::steal(capsule);
}

AnyPair to_capsules(const ArrowSchema& schema, const ArrowArray& array) {
  nb::object first = to_capsule(schema, "arrow_schema");
  return nb::make_tuple(std::move(first), to_capsule(array, "arrow_array"));
}

// Lists of uint32 between 64-bit offsets, as the capsules of an Arrow array.
AnyPair export_lists(nb::handle offsets, nb::handle rows) {
  struct Lists {
    Buffer offsets, rows;
  };
  const std::shared_ptr<const Lists> held = freed_with_gil(std::unique_ptr<const Lists>(
      new Lists{{offsets.ptr(), Buffer::Access::read}, {rows.ptr(), Buffer::Access::read}}));
  const auto elements = []<class T>(const Buffer& buffer, T) {
    return std::span(static_cast<const T*>(buffer.data()), buffer.bytes() / sizeof(T));
  };
  ArrowSchema schema{};
  ArrowArray array{};
  export_arrow(elements(held->offsets, std::uint64_t{}), elements(held->rows, std::uint32_t{}),
               held, &schema, &array);
  return to_capsules(schema, array);
}

}  // namespace

AnyPair ArrowAnswer::capsules() const {
  struct Held {
    Column column;
    OwnedView whole;
  };
  const std::shared_ptr<const Held> held =
      freed_with_gil(std::unique_ptr<const Held>(new Held{column_, as_one_view(column_)}));
  ArrowSchema schema{};
  ArrowArray array{};
  export_arrow(with_units(held->whole.view, column_.unit()), held, &schema, &array, zone_);
  return to_capsules(schema, array);
}

void bind_arrow_answers(nb::module_& module) {
  nb::class_<ArrowAnswer>(module, "ArrowAnswer", "A column as an Arrow array.")
      .def(nb::init<Column, std::string>(), nb::arg("column"), nb::arg("zone") = "")
      .def(
          "__arrow_c_array__",
          [](const ArrowAnswer& answer, nb::handle) { return answer.capsules(); },
          nb::arg("requested_schema") = nb::none());
  module.def("export_lists", export_lists, nb::arg("offsets"), nb::arg("rows"),
             "The capsules of an Arrow array of lists of rows.");
}

}  // namespace rtindex::python
