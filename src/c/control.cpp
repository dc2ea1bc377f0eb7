#include <rtindex/control.hpp>

#include <chrono>
#include <memory>

#include "c/guard.hpp"

// NOLINTNEXTLINE(google-build-using-namespace): C functions are in no namespace
using namespace rtindex;

namespace {

constexpr std::int32_t default_interval_ms = 50;

thread_local std::unique_ptr<ControlledCalls> calls_of_thread;

}  // namespace

rtindex_status rtindex_set_control(const rtindex_control* control) {
  return c::guarded([&] {
    if (control == nullptr) return calls_of_thread.reset();
    const rtindex_control input = c::options_of(control, "rtindex_control");
    if (input.progress == nullptr)
      fail("the progress of the control is null: set a function, or pass no control");
    if (input.interval_ms < 0)
      fail("invalid interval_ms {}: expected milliseconds, or 0 for {}", input.interval_ms,
           default_interval_ms);
    const auto progress = [=](double fraction) {
      if (input.progress(input.context, fraction) != 0)
        fail(ErrorKind::stopped, "the progress callback has stopped the call: nothing was changed");
    };
    const std::chrono::milliseconds interval(input.interval_ms == 0 ? default_interval_ms
                                                                    : input.interval_ms);
    calls_of_thread.reset();  // first: it restores the control before it
    calls_of_thread =
        std::make_unique<ControlledCalls>(Control{.progress = progress, .interval = interval});
  });
}
