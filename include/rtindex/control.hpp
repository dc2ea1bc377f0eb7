#pragma once

/// \file
/// Control: long calls that can be stopped, and that report their progress.

#include <chrono>
#include <functional>
#include <stop_token>

#include <rtindex/export.hpp>

namespace rtindex {

/// Stops a call and reports how far it is. Builds, queries, joins, loads, files and changes look at
/// it between the pieces of their work; on a GPU between steps, because a kernel is not
/// interrupted.
///
/// A call that is stopped throws an `Error` of kind `stopped`. It changes nothing: the index is as
/// before and no file appears. Buffers of the caller may be filled in part. A call that runs on
/// other threads ends once they have left its work.
struct Control {
  /// Any thread may request the stop.
  std::stop_token stop = {};
  /// Called with the share of the work that is done, from 0 to 1 and never less than before: every
  /// `interval` at most, and once with 1 when the work is done, before anything is changed. It runs
  /// on the thread of the call, and must not change the index. An exception that it throws stops
  /// the call and reaches the caller.
  std::function<void(double fraction)> progress = {};
  /// The shortest time between two calls of `progress`.
  std::chrono::milliseconds interval{50};
};

/// While it lives, it controls the calls of this thread, all those without a control in their
/// options: `save`, `merge`, `copy` and the changes have none. `progress` starts again with every
/// call. A merge in the background is not a call of this thread.
class RTINDEX_API ControlledCalls {
 public:
  explicit ControlledCalls(Control control);
  ~ControlledCalls();
  ControlledCalls(const ControlledCalls&) = delete;
  ControlledCalls& operator=(const ControlledCalls&) = delete;

 private:
  Control control_;
  const Control* before_;
};

}  // namespace rtindex
