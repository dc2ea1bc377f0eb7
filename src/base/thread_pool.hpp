#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "base/function_ref.hpp"

namespace rtindex {

// How many threads may work for one caller at once, in all of its nested loops.
struct ThreadBudget {
  int threads;
  int helpers = 0;  // threads of the pool that work for it; guarded by the pool's mutex
};

// Threads that help callers with their loops: the executor where oneTBB cannot be linked, and in
// forked children, where loops of oneTBB may wait for threads that only the parent has. They are
// started when a loop needs them and persist.
class ThreadPool {
 public:
  using Body = FunctionRef<void(std::size_t first, std::size_t count)>;

  ThreadPool();
  // Never destroyed: other threads may still run loops while the process ends.
  ~ThreadPool() = delete;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // The pool of this process. A forked child has one of its own, which starts without threads.
  [[nodiscard]] static ThreadPool& of_process();

  // What loops of the calling thread count against; null: nothing.
  [[nodiscard]] static ThreadBudget*& budget();

  // Threads of one loop at most, its caller included.
  [[nodiscard]] int max_threads() const { return max_threads_; }

  // Runs all blocks of [0, size) and rethrows the first exception of a body. The
  // caller works too, and waits for nothing but blocks of this loop that other threads have begun:
  // loops inside of loops and loops of many callers cannot block each other.
  void run(std::size_t size, std::size_t grain, const Body& body);

  // Ends the threads. Later loops run on the threads of their callers.
  void stop();

 private:
  struct Loop;

  void open(Loop& loop);
  void close(Loop& loop);
  void call_helpers(const Loop& loop, std::unique_lock<std::mutex>& lock);
  void help_loops();
  [[nodiscard]] Loop* loop_to_help() const;
  void help(Loop& loop, std::unique_lock<std::mutex>& lock);

  const int max_threads_;
  std::atomic<bool> is_stopped_ = false;
  std::mutex mutex_;  // of everything below
  std::condition_variable loop_opened_;
  Loop* newest_ = nullptr;
  int sleeping_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace rtindex
