#include "cli/interrupt.hpp"

namespace rtindex::cli {

namespace {

volatile std::sig_atomic_t signal_received = 0;  // NOLINT(*-non-const-global-variables)

void on_signal(int /*number*/) { signal_received = 1; }

}  // namespace

InterruptGuard::InterruptGuard() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, &on_interrupt_);
  sigaction(SIGTERM, &action, &on_terminate_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &on_interrupt_, nullptr);
  sigaction(SIGTERM, &on_terminate_, nullptr);
}

void InterruptGuard::check() {
  if (signal_received != 0) throw Interrupted();
}

}  // namespace rtindex::cli
