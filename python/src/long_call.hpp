#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <optional>

#include <rtindex/control.hpp>

#include "without_gil.hpp"

namespace rtindex::python {

// The callable that receives the progress of this thread's calls; null: none. Borrowed from
// rtindex.progress, which sets the one before again.
PyObject* progress_of_thread();

// Runs calls of the library: other threads of Python run meanwhile, Ctrl-C raises KeyboardInterrupt
// on the main thread, and the progress is reported.
class LongCall {
 public:
  LongCall();
  LongCall(const LongCall&) = delete;
  LongCall& operator=(const LongCall&) = delete;

  // The next call of the library is this part of the whole.
  void part(double begin, double end) {
    begin_ = begin;
    end_ = end;
  }

 private:
  void report(double fraction) const;

  using Clock = std::chrono::steady_clock;

  PyObject* const callback_ = progress_of_thread();
  const Clock::time_point start_ = Clock::now();
  double begin_ = 0;
  double end_ = 1;
  WithoutGil unlocked_;
  std::optional<ControlledCalls> controlled_;
};

}  // namespace rtindex::python
