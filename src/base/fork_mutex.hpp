#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace rtindex {

// How many forks lie between the first process and this one.
[[nodiscard]] std::uint32_t fork_count();

// A mutex that a thread of the parent may hold while the process forks: the child, which does not
// have that thread, takes it.
class ForkMutex {
 public:
  // False if the mutex was taken from a thread that does not exist any more. What it guards may be
  // half written, and no other thread of this process has used it.
  [[nodiscard]] bool lock() {
    const std::uint32_t own = 2 * fork_count() + 1;
    std::uint32_t held = 0;
    if (held_by_.compare_exchange_strong(held, own, std::memory_order_acquire)) return true;
    return lock_slowly(own, held);
  }
  void unlock() {
    // Even: threads wait.
    if (held_by_.exchange(0, std::memory_order_release) % 2 == 0) held_by_.notify_one();
  }

 private:
  [[nodiscard]] bool lock_slowly(std::uint32_t own, std::uint32_t held);

  // 2 * (forks of the process that holds it) + 1, one more if threads may wait; 0: unlocked.
  std::atomic<std::uint32_t> held_by_ = 0;
};

// Holds the mutex for its life. reset() makes anew, without destructors, what a thread may have
// left half written.
class ForkLock {
 public:
  template <class Reset>
  ForkLock(ForkMutex& mutex, Reset&& reset) : mutex_(mutex) {
    if (!mutex_.lock()) std::forward<Reset>(reset)();
  }
  ForkLock(const ForkLock&) = delete;
  ForkLock& operator=(const ForkLock&) = delete;
  ~ForkLock() { mutex_.unlock(); }

 private:
  ForkMutex& mutex_;
};

}  // namespace rtindex
