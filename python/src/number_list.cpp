#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "outputs.hpp"
#include "stub_types.hpp"

// Lists of plain Python numbers as arrays, in one pass: NumPy reads every object twice.

namespace nb = nanobind;

namespace rtindex::python {

namespace {

std::optional<std::int64_t> integer(PyObject* object) {
  if (Py_TYPE(object) != &PyLong_Type) return {};
  int overflow = 0;
  const std::int64_t number = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0 ? std::optional(number) : std::nullopt;
}

std::optional<double> real(PyObject* object) {
  if (Py_TYPE(object) != &PyFloat_Type) return {};
  return PyFloat_AsDouble(object);
}

// The numbers, and the bitmap of those that are not None or None without one; None for a list with
// any other object.
template <class T>
nb::object read_numbers(const AnyList& list, std::optional<T> (*read)(PyObject*)) {
  const auto size = static_cast<std::size_t>(PyList_Size(list.ptr()));
  std::vector<T> numbers(size);
  std::vector<std::uint8_t> validity;
  for (std::size_t i = 0; i < size; ++i) {
    PyObject* const object = PyList_GetItem(list.ptr(), static_cast<Py_ssize_t>(i));
    if (object == nullptr) throw nb::python_error();
    if (object == Py_None) {
      if (validity.empty()) validity.assign((size + 7) / 8, 0xff);
      validity[i / 8] &= static_cast<std::uint8_t>(~(1U << (i % 8)));
      continue;
    }
    const std::optional<T> number = read(object);
    if (!number) return nb::none();
    numbers[i] = *number;
  }
  nb::object bits = nb::none();
  if (!validity.empty()) bits = as_array(std::move(validity));
  return nb::make_tuple(as_array(std::move(numbers)), std::move(bits));
}

// By the type of the first object that is not None: all are int of 64 bits, or all are float.
AnyObject number_list(const AnyList& list) {
  for (const nb::handle object : list) {
    if (object.is_none()) continue;
    if (Py_TYPE(object.ptr()) == &PyLong_Type) return read_numbers(list, integer);
    if (Py_TYPE(object.ptr()) == &PyFloat_Type) return read_numbers(list, real);
    break;
  }
  return nb::none();
}

}  // namespace

void bind_number_list(nb::module_& module) {
  module.def("number_list", number_list, nb::arg("list"),
             "A list of int or of float objects and None, as an array and a validity bitmap.");
}

}  // namespace rtindex::python
