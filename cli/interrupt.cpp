#include "cli/interrupt.hpp"

namespace rtindex::cli {

namespace {

volatile std::sig_atomic_t signal_came = 0;  // NOLINT(*-non-const-global-variables)

void note_signal(int /*number*/) { signal_came = 1; }

}  // namespace

InterruptGuard::InterruptGuard() {
  struct sigaction note {};
  note.sa_handler = note_signal;
  note.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &note, &on_interrupt_);
  sigaction(SIGTERM, &note, &on_terminate_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &on_interrupt_, nullptr);
  sigaction(SIGTERM, &on_terminate_, nullptr);
}

void InterruptGuard::check() {
  if (signal_came != 0) throw Interrupted();
}

}  // namespace rtindex::cli
