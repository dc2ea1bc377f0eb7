#include "base/fork_mutex.hpp"

#include <pthread.h>

namespace rtindex {

namespace {

std::atomic<std::uint32_t> forks = 0;

[[maybe_unused]] const int counts_forks =
    pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });

}  // namespace

std::uint32_t fork_count() { return forks.load(std::memory_order_relaxed); }

bool ForkMutex::lock_slowly(std::uint32_t own, std::uint32_t held) {
  while (true) {
    const bool is_abandoned = held != 0 && held != own && held != own + 1;
    if (held == 0 || is_abandoned) {
      // Whoever waited may not be alone.
      if (held_by_.compare_exchange_weak(held, own + 1, std::memory_order_acquire))
        return !is_abandoned;
      continue;
    }
    if (held == own && !held_by_.compare_exchange_weak(held, own + 1, std::memory_order_relaxed))
      continue;
    held_by_.wait(own + 1, std::memory_order_relaxed);
    held = held_by_.load(std::memory_order_relaxed);
  }
}

}  // namespace rtindex
