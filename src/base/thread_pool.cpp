#include "base/thread_pool.hpp"

#include <pthread.h>

#include <algorithm>
#include <cfenv>
#include <exception>
#include <new>

namespace rtindex {

// A loop on its caller's stack; a link of the list of open loops.
struct ThreadPool::Loop {
  Loop(std::size_t loop_size, std::size_t loop_grain, const Body& loop_body, int max_helpers)
      : size(loop_size),
        grain(loop_grain),
        blocks((loop_size + loop_grain - 1) / loop_grain),
        body(loop_body),
        budget(ThreadPool::budget()),
        helpers_wanted(max_helpers) {
    std::fegetenv(&floating_point);
  }

  // False if no block is left.
  bool run_block() {
    const std::size_t block = next.fetch_add(1, std::memory_order_relaxed);
    if (block >= blocks) return false;
    try {
      body(block * grain, std::min(grain, size - block * grain));
    } catch (...) {
      if (!has_failed.exchange(true)) error = std::current_exception();
      next = blocks;
    }
    return true;
  }

  [[nodiscard]] bool wants_helper() const {
    return helpers_wanted > 0 && next.load(std::memory_order_relaxed) < blocks &&
           (budget == nullptr || budget->helpers + 1 < budget->threads);
  }

  const std::size_t size;
  const std::size_t grain;
  const std::size_t blocks;
  const Body& body;
  ThreadBudget* const budget;
  std::fenv_t floating_point{};  // helpers compute in the caller's mode
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> has_failed = false;
  std::exception_ptr error;
  // Guarded by the pool's mutex:
  int helpers_wanted;
  int helpers = 0;
  std::condition_variable last_helper_left;
  Loop* older = nullptr;
};

ThreadPool::ThreadPool()
    // Two at least, so that sanitizers see several threads on any machine.
    : max_threads_(std::max(2, static_cast<int>(std::thread::hardware_concurrency()))) {}

namespace {

alignas(ThreadPool) std::byte pool_memory[sizeof(ThreadPool)];

ThreadPool* make_pool() { return ::new (pool_memory) ThreadPool; }

// Makes the pool of the process, and stops it when the process ends or the library is unloaded.
struct PoolOfProcess {
  PoolOfProcess() {
    pthread_atfork(nullptr, nullptr, [] {
      // No thread of the parent is in its child: the parent's pool, locked or not, is overwritten.
      make_pool();
    });
  }
  ~PoolOfProcess() { pool->stop(); }

  ThreadPool* pool = make_pool();
};

// Constructed when the library is loaded: a fork during a later initialization would leave the
// child with an initialization that never ends.
[[maybe_unused]] const ThreadPool& made_at_load = ThreadPool::of_process();

}  // namespace

ThreadPool& ThreadPool::of_process() {
  static const PoolOfProcess process;
  return *process.pool;
}

ThreadBudget*& ThreadPool::budget() {
  thread_local ThreadBudget* budget = nullptr;
  return budget;
}

void ThreadPool::run(std::size_t size, std::size_t grain, const Body& body) {
  const std::size_t blocks = (size + grain - 1) / grain;
  const int threads = budget() == nullptr ? max_threads_ : budget()->threads;
  Loop loop(size, grain, body,
            static_cast<int>(std::min<std::size_t>(blocks, static_cast<std::size_t>(threads))) - 1);
  open(loop);
  while (loop.run_block()) {
  }
  close(loop);
  if (loop.error) std::rethrow_exception(loop.error);
}

void ThreadPool::open(Loop& loop) {
  std::unique_lock lock(mutex_);
  loop.older = newest_;
  newest_ = &loop;
  call_helpers(loop, lock);
}

void ThreadPool::close(Loop& loop) {
  std::unique_lock lock(mutex_);
  for (Loop** link = &newest_; *link != nullptr; link = &(*link)->older) {
    if (*link != &loop) continue;
    *link = loop.older;
    break;
  }
  loop.last_helper_left.wait(lock, [&] { return loop.helpers == 0; });
}

// Wakes or starts two threads at most, and unlocks. Each of them wakes further ones, so that no
// thread has to wait until all are awake.
void ThreadPool::call_helpers(const Loop& loop, std::unique_lock<std::mutex>& lock) {
  int to_wake = 0;
  for (int i = 0; i < std::min(2, loop.helpers_wanted) && loop.wants_helper(); ++i) {
    if (sleeping_ > i) {
      ++to_wake;
    } else if (!is_stopped_ && static_cast<int>(threads_.size()) + 1 < max_threads_) {
      try {
        threads_.emplace_back([this] { help_loops(); });
      } catch (const std::exception&) {
        break;  // those that could be started do the work
      }
    }
  }
  lock.unlock();
  for (; to_wake > 0; --to_wake) loop_opened_.notify_one();
}

void ThreadPool::help_loops() {
  std::unique_lock lock(mutex_);
  while (!is_stopped_) {
    if (Loop* loop = loop_to_help()) {
      help(*loop, lock);
    } else {
      ++sleeping_;
      loop_opened_.wait(lock);
      --sleeping_;
    }
  }
}

// The newest first: older ones may wait for it.
ThreadPool::Loop* ThreadPool::loop_to_help() const {
  Loop* loop = newest_;
  while (loop != nullptr && !loop->wants_helper()) loop = loop->older;
  return loop;
}

void ThreadPool::help(Loop& loop, std::unique_lock<std::mutex>& lock) {
  --loop.helpers_wanted;
  ++loop.helpers;
  if (loop.budget != nullptr) ++loop.budget->helpers;
  call_helpers(loop, lock);
  budget() = loop.budget;
  std::fesetenv(&loop.floating_point);
  while (!is_stopped_ && loop.run_block()) {
  }
  lock.lock();
  if (loop.budget != nullptr) --loop.budget->helpers;
  // Notified under the lock: the caller destroys the loop as soon as it sees no helper.
  if (--loop.helpers == 0) loop.last_helper_left.notify_one();
}

void ThreadPool::stop() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    threads.swap(threads_);
  }
  loop_opened_.notify_all();
  for (std::thread& thread : threads) {
    if (thread.get_id() == std::this_thread::get_id())
      thread.detach();  // the process is ended by a body
    else
      thread.join();
  }
}

}  // namespace rtindex
