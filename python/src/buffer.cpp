#include "buffer.hpp"

#include <nanobind/nanobind.h>

namespace rtindex::python {

Buffer::Buffer(PyObject* object, Access access) {
  const int flags = access == Access::write ? PyBUF_WRITABLE : PyBUF_SIMPLE;
  if (PyObject_GetBuffer(object, &view_, flags) != 0) throw nanobind::python_error();
}

}  // namespace rtindex::python
