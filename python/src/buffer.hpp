#pragma once

#include <Python.h>

#include <cstddef>
#include <string_view>

namespace rtindex::python {

// The memory of an object with Python's buffer protocol, held until this is destroyed. Made and
// destroyed with the interpreter's lock held.
class Buffer {
 public:
  enum class Access { read, write };

  Buffer(PyObject* object, Access access);
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { PyBuffer_Release(&view_); }

  [[nodiscard]] void* data() const { return view_.buf; }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(view_.len); }

 private:
  Py_buffer view_{};
};

}  // namespace rtindex::python
