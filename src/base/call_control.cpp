#include "base/call_control.hpp"

#include <algorithm>
#include <cmath>

namespace rtindex {

namespace {

thread_local const Control* control_of_thread = nullptr;
thread_local CallControl* current_control = nullptr;
thread_local bool is_in_loop = false;

}  // namespace

ControlledCalls::ControlledCalls(Control control)
    : control_(std::move(control)), before_(std::exchange(control_of_thread, &control_)) {}

ControlledCalls::~ControlledCalls() { control_of_thread = before_; }

const Control* control_of_call(const Control* own) {
  if (own != nullptr && (own->progress || own->stop.stop_possible())) return own;
  return current_control == nullptr && !is_in_loop ? control_of_thread : nullptr;
}

CallControl* CallControl::current() { return current_control; }

void CallControl::fail_stopped() const {
  fail(ErrorKind::stopped, "stopped while {}, as the caller requested: nothing was changed",
       doing_);
}

void CallControl::report_in_time() {
  const Clock::time_point now = Clock::now();
  if (!std::exchange(has_started_, true)) {  // the check at the start of the call
    last_report_ = now;
    return;
  }
  if (now - last_report_ < control_.interval) return;
  last_report_ = now;
  const double done = loop_blocks_ == 0
                          ? 0
                          : static_cast<double>(loop_done_.load(std::memory_order_relaxed)) /
                                static_cast<double>(loop_blocks_);
  constexpr double not_all = 0.999;  // finish() reports 1
  report(std::min(not_all, stage_begin_ + done * (loop_end_ - stage_begin_)));
}

void CallControl::report(double fraction) {
  reported_ = std::clamp(fraction, reported_, 1.0);
  const UnstoppableScope callback;  // calls that it makes are not this one
  try {
    control_.progress(reported_);
  } catch (...) {
    error_ = std::current_exception();
    is_stopped_ = true;
    throw;
  }
  if (is_stopped()) fail_stopped();
}

void CallControl::finish() {
  if (std::exchange(has_finished_, true)) return;
  if (is_stopped()) fail_stopped();
  if (control_.progress && std::this_thread::get_id() == caller_) report(1);
}

ControlScope::ControlScope(CallControl* control, bool in_loop)
    : before_(std::exchange(current_control, control)),
      in_loop_before_(std::exchange(is_in_loop, in_loop)) {}

ControlScope::~ControlScope() {
  current_control = before_;
  is_in_loop = in_loop_before_;
}

ProgressStage::ProgressStage(double share, double loop_share)
    : control_(is_in_loop ? nullptr : current_control) {
  if (control_ == nullptr) return;
  outer_end_ = control_->stage_end_;
  outer_loop_share_ = std::exchange(control_->loop_share_, loop_share);
  control_->stage_end_ = std::lerp(control_->stage_begin_, outer_end_, share);
}

ProgressStage::~ProgressStage() {
  if (control_ == nullptr) return;
  control_->stage_begin_ = control_->stage_end_;
  control_->stage_end_ = outer_end_;
  control_->loop_share_ = outer_loop_share_;
}

ProgressLoop::ProgressLoop(CallControl& control, std::size_t blocks)
    : control_(control), is_counted_(!is_in_loop) {
  if (!is_counted_) return;
  control_.loop_end_ = std::lerp(control_.stage_begin_, control_.stage_end_, control_.loop_share_);
  control_.loop_done_ = 0;
  control_.loop_blocks_ = blocks;
}

ProgressLoop::~ProgressLoop() {
  if (!is_counted_) return;
  control_.stage_begin_ = control_.loop_end_;
  control_.loop_blocks_ = 0;
}

}  // namespace rtindex
