#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>

namespace rtindex::python {

// The memory of an object with Python's buffer protocol, held until this is destroyed. Made and
// destroyed with the GIL held.
class Buffer {
 public:
  enum class Access { read, write };

  Buffer(PyObject* object, Access access) {
    const int flags = access == Access::write ? PyBUF_WRITABLE : PyBUF_SIMPLE;
    if (PyObject_GetBuffer(object, &view_, flags) != 0) throw nanobind::python_error();
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { PyBuffer_Release(&view_); }

  [[nodiscard]] void* data() const { return view_.buf; }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(view_.len); }

 private:
  Py_buffer view_{};
};

}  // namespace rtindex::python
