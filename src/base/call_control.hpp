#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <thread>
#include <type_traits>
#include <utility>

#include <rtindex/control.hpp>

#include "base/error.hpp"

namespace rtindex {

// What a running call needs of its Control. The call's thread makes it; parallel_for() passes it on
// to all threads that work for the call and checks it before every block.
class CallControl {
 public:
  // `doing` completes "stopped while ...".
  CallControl(const Control& control, const char* doing) : control_(control), doing_(doing) {}
  CallControl(const CallControl&) = delete;
  CallControl& operator=(const CallControl&) = delete;

  // Of the work that this thread does; null: it cannot be stopped.
  [[nodiscard]] static CallControl* current();

  // Throws if the call is to stop. On the thread of the call, reports the progress when it is time.
  void check() {
    if (is_stopped()) fail_stopped();
    if (control_.progress && std::this_thread::get_id() == caller_) report_in_time();
  }
  [[nodiscard]] bool is_stopped() const {
    return is_stopped_.load(std::memory_order_relaxed) || control_.stop.stop_requested();
  }
  // Reports that all is done, once. The last chance to stop the call: what comes after it cannot
  // fail.
  void finish();
  // From here on the call cannot be stopped, and reports nothing.
  void end() { has_finished_ = true; }
  // What `progress` has thrown; null: nothing.
  [[nodiscard]] const std::exception_ptr& error() const { return error_; }

 private:
  friend class ProgressStage;
  friend class ProgressLoop;
  using Clock = std::chrono::steady_clock;

  [[noreturn]] void fail_stopped() const;
  void report_in_time();
  void report(double fraction);

  const Control& control_;
  const char* doing_;
  const std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<bool> is_stopped_ = false;
  std::exception_ptr error_;
  Clock::time_point last_report_;
  bool has_started_ = false;
  double reported_ = 0;
  bool has_finished_ = false;
  // Only the thread that runs the call's own code changes these, outside of parallel loops.
  double stage_begin_ = 0;
  double stage_end_ = 1;
  double loop_share_ = 0.5;
  // The loop that runs: its share of the work, and how many of its blocks are done.
  double loop_end_ = 0;
  std::size_t loop_blocks_ = 0;
  std::atomic<std::size_t> loop_done_ = 0;
};

// Sets the control of what this thread does, and whether it is the body of a parallel loop, whose
// own loops do not count as progress.
class ControlScope {
 public:
  ControlScope(CallControl* control, bool in_loop);
  ~ControlScope();
  ControlScope(const ControlScope&) = delete;
  ControlScope& operator=(const ControlScope&) = delete;

 private:
  CallControl* before_;
  bool in_loop_before_;
};

// While it lives, the work of this thread is not stopped: what it makes is shared with other calls,
// or cannot be left half done.
class UnstoppableScope : ControlScope {
 public:
  UnstoppableScope() : ControlScope(nullptr, true) {}
};

// A step of the call, which does this share of the work that is left of the enclosing stage. Each
// loop in it is counted as `loop_share` of what is left of the stage: how many follow is not known.
class ProgressStage {
 public:
  explicit ProgressStage(double share, double loop_share = 0.5);
  ~ProgressStage();
  ProgressStage(const ProgressStage&) = delete;
  ProgressStage& operator=(const ProgressStage&) = delete;

 private:
  CallControl* control_;  // null: this is no stage of the call
  double outer_end_ = 1;
  double outer_loop_share_ = 0.5;
};

// A parallel loop. Loops in other loops do not count.
class ProgressLoop {
 public:
  ProgressLoop(CallControl& control, std::size_t blocks);
  ~ProgressLoop();
  ProgressLoop(const ProgressLoop&) = delete;
  ProgressLoop& operator=(const ProgressLoop&) = delete;

  void finish_block() {
    if (is_counted_) control_.loop_done_.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  CallControl& control_;
  bool is_counted_;
};

// Throws if the call of this thread is to stop; for long stretches without a parallel loop.
inline void check_stop() {
  if (CallControl* const control = CallControl::current()) control->check();
}

// Reports that the call is done but for what cannot fail.
inline void finish_progress() {
  if (CallControl* const control = CallControl::current()) control->finish();
}

// Ends the control of the call, which has changed something.
inline void end_control() {
  if (CallControl* const control = CallControl::current()) control->end();
}

// The control of a call: `own`, else that of the thread's ControlledCalls. A call inside of another
// belongs to it.
[[nodiscard]] const Control* control_of_call(const Control* own);

// Runs a part of a public call, which `own` may stop (null: it has no options).
template <class Work>
decltype(auto) run_step(const char* doing, const Control* own, Work&& work) {
  const Control* const control = control_of_call(own);
  if (control == nullptr) return explain_out_of_memory(doing, std::forward<Work>(work));
  CallControl call(*control, doing);
  const ControlScope scope(&call, false);
  try {
    call.check();
    return explain_out_of_memory(doing, std::forward<Work>(work));
  } catch (...) {
    // Other threads may have been stopped by it, and have failed first.
    if (call.error()) std::rethrow_exception(call.error());
    throw;
  }
}

// Runs a public call, and reports its end.
template <class Work>
auto run_call(const char* doing, const Control* own, Work&& work) {
  const bool is_inner = CallControl::current() != nullptr && control_of_call(own) == nullptr;
  return run_step(doing, own, [&] {
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      if (!is_inner) finish_progress();
    } else {
      auto result = work();
      if (!is_inner) finish_progress();
      return result;
    }
  });
}
template <class Work>
auto run_call(const char* doing, Work&& work) {
  return run_call(doing, nullptr, std::forward<Work>(work));
}

}  // namespace rtindex
