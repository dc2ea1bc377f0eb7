#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace rtindex {

// Runs one piece of work at a time on a thread that is started for it.
class MergeThread {
 public:
  MergeThread() = default;
  // Waits for the work.
  ~MergeThread();
  MergeThread(const MergeThread&) = delete;
  MergeThread& operator=(const MergeThread&) = delete;

  // Starts the work, which must not throw; nothing else is running. Throws std::system_error where
  // the system has no thread left.
  void start(std::function<void()> work);
  // Returns once nothing is running; throws if the call that waits is stopped.
  void wait();
  [[nodiscard]] bool is_running() const;

  // Around a fork. A child does not have the thread, and its work is given up.
  void lock() { mutex_.lock(); }
  void unlock(bool in_child);

 private:
  mutable std::mutex mutex_;
  std::condition_variable is_done_;
  std::thread thread_;
  bool is_running_ = false;
};

}  // namespace rtindex
