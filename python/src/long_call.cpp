#include "long_call.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include "bind.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

thread_local PyObject* progress = nullptr;

// Python handles signals on the main thread only.
bool is_main_thread() {
  thread_local const bool is_main = syscall(SYS_gettid) == getpid();  // NOLINT(*-vararg)
  return is_main;
}

// The GIL for a callback in the middle of a call, without which it waits as WithoutGil does.
class WithGil {
 public:
  WithGil() {
    try {
      state_ = PyGILState_Ensure();
    } catch (...) {
      for (;;) pause();
    }
  }
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace

PyObject* progress_of_thread() { return progress; }

LongCall::LongCall() {
  if (callback_ != nullptr || is_main_thread())
    controlled_.emplace(Control{.progress = [this](double fraction) { report(fraction); }});
}

void LongCall::report(double fraction) const {
  // Short calls report their end alone, and need not wait for the GIL.
  constexpr std::chrono::milliseconds short_call{1};
  if (callback_ == nullptr && fraction >= 1 && Clock::now() - start_ < short_call) return;
  const WithGil locked;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (callback_ == nullptr) return;
  const double whole = begin_ + fraction * (end_ - begin_);
  const nb::object number = nb::steal(PyFloat_FromDouble(whole));
  const nb::object result =
      nb::steal(PyObject_CallFunctionObjArgs(callback_, number.ptr(), nullptr));
  if (!result.is_valid()) throw nb::python_error();
}

namespace {

// Returns the one before.
nb::object set_progress(const nb::object& callable) {
  PyObject* const before = progress;
  progress = callable.is_none() ? nullptr : callable.ptr();
  return before == nullptr ? nb::none() : nb::borrow(before);
}

}  // namespace

void bind_progress(nb::module_& module) {
  module.def("set_progress", set_progress, nb::arg("callable").none());
}

}  // namespace rtindex::python
