#include "cli/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/display_width.hpp"
#include "cli/interrupt.hpp"

namespace rtindex::cli {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds before_first_bar{300};
constexpr milliseconds between_bars{100};
constexpr milliseconds between_lines{5000};

bool terminal_shows_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view text(value);
    return text.find("UTF-8") != std::string_view::npos ||
           text.find("utf8") != std::string_view::npos;
  }
  return false;
}

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
  return size.ws_col;
}

double share_of(std::uint64_t done, std::uint64_t total) {
  return std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
}

}  // namespace

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::max(0.0, std::ceil(seconds)));
  const std::uint64_t hours = whole / 3600;
  const std::uint64_t minutes = whole / 60 % 60;
  if (hours != 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
  return fmt::format("{}:{:02}", minutes, whole % 60);
}

std::string bar_text(const std::string& title, double share, const std::string& state,
                     std::size_t width, bool unicode) {
  constexpr std::size_t frame = 6;  // brackets and gaps
  constexpr std::size_t narrowest = 5;
  constexpr std::size_t widest = 40;
  const std::size_t text_width = display_width(title) + display_width(state) + frame;
  if (text_width + narrowest > width) return (title + "  " + state).substr(0, width);
  const std::size_t cells = std::min(widest, width - text_width);
  const auto full = static_cast<std::size_t>(share * static_cast<double>(cells));
  std::string bar;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const bool is_full = cell < full;
    bar += unicode ? (is_full ? "█" : "░") : (is_full ? "#" : ".");
  }
  return fmt::format("{}  [{}]  {}", title, bar, state);
}

Progress::Style Progress::for_stderr() {
  return isatty(STDERR_FILENO) != 0 ? Style::bar : Style::lines;
}

Progress::Style Progress::on_terminal_only() {
  return isatty(STDERR_FILENO) != 0 ? Style::bar : Style::silent;
}

Progress::Progress(std::string title, std::uint64_t total, Style style)
    : title_(std::move(title)), total_(total), style_(style) {
  if (style_ != Style::silent) painter_ = std::thread([this] { run(); });
}

Control Progress::control() {
  return {.progress = [this](double fraction) {
    InterruptGuard::check();
    set(static_cast<std::uint64_t>(fraction * static_cast<double>(total_)));
  }};
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void Progress::set(std::uint64_t done) {
  done_ = done;
  seconds_when_set_ = seconds();
}

// "42%  0:12 left" after the first progress; the elapsed time of a task of unknown length.
std::string Progress::state() const {
  if (total_ == 0) return clock_text(seconds());
  const double share = share_of(done_, total_);
  std::string text = fmt::format("{:.0f}%", std::floor(100 * share));
  if (share > 0) {
    const double whole = seconds_when_set_ / share;
    text += fmt::format("  {} left", clock_text(whole - seconds()));
  }
  return text;
}

void Progress::run() {
  std::unique_lock lock(mutex_);
  milliseconds pause = style_ == Style::bar ? before_first_bar : between_lines;
  while (!wake_.wait_for(lock, pause, [this] { return finished_; })) {
    draw();
    pause = style_ == Style::bar ? between_bars : between_lines;
  }
}

void Progress::draw() {
  if (style_ == Style::lines) {
    fmt::print(stderr, "{}: {}\n", title_, state());
  } else if (total_ == 0) {
    fmt::print(stderr, "\r\x1b[K{}  {}", title_, state());
    drawn_ = true;
  } else {
    fmt::print(stderr, "\r\x1b[K{}",
               bar_text(title_, share_of(done_, total_), state(), terminal_width() - 1,
                        terminal_shows_unicode()));
    drawn_ = true;
  }
  std::fflush(stderr);
}

void Progress::rename(std::string title) {
  const std::lock_guard lock(mutex_);
  title_ = std::move(title);
  if (style_ == Style::lines && !finished_) fmt::print(stderr, "{}\n", title_);
  if (style_ == Style::bar && drawn_ && !finished_) draw();
}

void Progress::finish() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(finished_, true)) return;
  }
  wake_.notify_all();
  if (painter_.joinable()) painter_.join();
  if (drawn_) {
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
  }
}

}  // namespace rtindex::cli
