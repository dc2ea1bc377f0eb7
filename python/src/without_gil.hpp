#pragma once

#include <Python.h>
#include <unistd.h>

namespace rtindex::python {

// Other threads of Python run while it lives.
class WithoutGil {
 public:
  WithoutGil() = default;
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;
  // When the interpreter has ended, Python up to 3.13 ends daemon threads here by unwinding their
  // stack, which would end the process with an error. They wait for its end, as since 3.14.
  ~WithoutGil() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      for (;;) pause();
    }
  }

 private:
  PyThreadState* state_ = PyEval_SaveThread();
};

}  // namespace rtindex::python
