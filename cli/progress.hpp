#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include <rtindex/control.hpp>

namespace rtindex::cli {

// Progress of a long task, on stderr. On a terminal a bar with the remaining time, which appears
// after a moment and is erased at the end; elsewhere a line every few seconds. A task of unknown
// length (total 0) shows the elapsed time.
//
//   Progress progress("lookups", keys.size());
//   for (...) progress.advance(slice.size());
//
// Calls of the library report their own progress, as a share of Progress::of_call:
//
//   const InterruptGuard guard;
//   Progress progress("building", Progress::of_call);
//   build(column, spec, {.control = progress.control()});
class Progress {
 public:
  enum class Style : std::uint8_t { bar, lines, silent };
  // A bar if stderr is a terminal, else lines.
  [[nodiscard]] static Style for_stderr();
  // A bar if stderr is a terminal, else nothing.
  [[nodiscard]] static Style on_terminal_only();

  static constexpr std::uint64_t of_call = 1000;

  Progress(std::string title, std::uint64_t total, Style style = for_stderr());
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void set(std::uint64_t done);
  void advance(std::uint64_t more = 1) { set(done_ + more); }
  // For calls of the library: sets the share of `total` that is done, and stops them after Ctrl-C.
  // Needs an InterruptGuard, and must outlive the calls.
  [[nodiscard]] Control control();
  // Changes the title; in line mode it is printed at once.
  void rename(std::string title);
  // Erases the bar; shows nothing from now on.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void run();
  void draw();
  [[nodiscard]] double seconds() const;
  [[nodiscard]] std::string state() const;

  std::string title_;
  std::uint64_t total_;
  Style style_;
  Clock::time_point start_ = Clock::now();
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<double> seconds_when_set_ = 0;
  bool drawn_ = false;
  bool finished_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::thread painter_;
};

// "0:07", "12:30", "2:05:00".
[[nodiscard]] std::string clock_text(double seconds);
// The line of a bar that is `share` full, `width` terminal columns wide at most.
[[nodiscard]] std::string bar_text(const std::string& title, double share, const std::string& state,
                                   std::size_t width, bool unicode);

}  // namespace rtindex::cli
