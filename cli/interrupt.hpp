#pragma once

#include <csignal>
#include <exception>
#include <string>
#include <utility>

namespace rtindex::cli {

// SIGINT or SIGTERM was received.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(std::string message = "interrupted; no output was written")
      : message_(std::move(message)) {}
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

// While one lives, the first SIGINT or SIGTERM only sets a flag, so that unfinished files can be
// removed; a second one ends the program.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // Throws Interrupted after a signal.
  static void check();

 private:
  struct sigaction on_interrupt_ {};
  struct sigaction on_terminate_ {};
};

}  // namespace rtindex::cli
