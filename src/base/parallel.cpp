#include "base/parallel.hpp"

#include <utility>

#include <rtindex/threads.hpp>

#include "base/call_control.hpp"
#include "base/fork_mutex.hpp"
#include "base/thread_pool.hpp"

#if !defined(RTINDEX_EXECUTOR_STD)
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace rtindex {

namespace {

thread_local bool serial_loops = false;

}  // namespace

void serial_for(std::size_t size, std::size_t grain,
                FunctionRef<void(std::size_t, std::size_t)> body) {
  for (std::size_t first = 0; first < size; first += grain) {
    const std::size_t count = std::min(grain, size - first);
    const ProgressStage stage(static_cast<double>(count) / static_cast<double>(size - first));
    check_stop();
    body(first, count);
  }
}

SerialCalls::SerialCalls() : before_(std::exchange(serial_loops, true)) {}

SerialCalls::~SerialCalls() { serial_loops = before_; }

namespace {

// Block after block, on the caller's thread.
void run_blocks(std::size_t size, std::size_t grain,
                FunctionRef<void(std::size_t, std::size_t)> body) {
  for (std::size_t first = 0; first < size; first += grain)
    body(first, std::min(grain, size - first));
}

int pool_threads() {
  const ThreadBudget* budget = ThreadPool::budget();
  return budget == nullptr ? ThreadPool::of_process().max_threads() : budget->threads;
}

void pool_for(std::size_t size, std::size_t grain,
              FunctionRef<void(std::size_t, std::size_t)> body) {
  if (pool_threads() == 1) return run_blocks(size, grain, body);
  ThreadPool::of_process().run(size, grain, body);
}

void run_with_budget(int threads, FunctionRef<void()> work) {
  ThreadBudget budget{.threads = std::min(threads, ThreadPool::of_process().max_threads())};
  ThreadBudget* const before = std::exchange(ThreadPool::budget(), &budget);
  try {
    work();
  } catch (...) {
    ThreadPool::budget() = before;
    throw;
  }
  ThreadPool::budget() = before;
}

}  // namespace

#if defined(RTINDEX_EXECUTOR_STD)

struct ThreadLimit::Arena {
  explicit Arena(int arena_threads) : threads(arena_threads) {}
  int threads;
};

bool can_start_threads() { return true; }

int parallel_threads() { return serial_loops ? 1 : pool_threads(); }

namespace {

void share_blocks(std::size_t size, std::size_t grain,
                  FunctionRef<void(std::size_t, std::size_t)> body) {
  pool_for(size, grain, body);
}

}  // namespace

void ThreadLimit::run(FunctionRef<void()> work) const {
  if (!arena_) return work();
  run_with_budget(arena_->threads, work);
}

#else

namespace {

// Starts threads that wait, and ends them all in its destructor.
class WaitingThreads {
 public:
  explicit WaitingThreads(std::size_t count) {
    threads_.reserve(count);
    try {
      while (threads_.size() < count) threads_.emplace_back([this] { is_over_.wait(false); });
    } catch (...) {
      end();
      throw;
    }
  }
  ~WaitingThreads() { end(); }
  WaitingThreads(const WaitingThreads&) = delete;
  WaitingThreads& operator=(const WaitingThreads&) = delete;

 private:
  void end() {
    is_over_ = true;
    is_over_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  std::atomic<bool> is_over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

bool can_start_threads() {
  static std::atomic<bool> is_known = false;
  if (is_known.load(std::memory_order_relaxed)) return true;
  try {
    const WaitingThreads all(static_cast<std::size_t>(tbb::info::default_concurrency() - 1));
    is_known = true;
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

struct ThreadLimit::Arena {
  // More than there are processors would make oneTBB print a warning.
  explicit Arena(int arena_threads)
      : threads(std::min(arena_threads, tbb::info::default_concurrency())),
        arena(std::make_unique<tbb::task_arena>(threads)) {}
  // In a forked child oneTBB's locks may be held by threads of the parent.
  ~Arena() {
    if (fork_count() != 0) static_cast<void>(arena.release());
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  int threads;
  std::unique_ptr<tbb::task_arena> arena;
};

int parallel_threads() {
  if (serial_loops) return 1;
  if (fork_count() != 0) return pool_threads();
  return tbb::this_task_arena::max_concurrency();
}

namespace {

void share_blocks(std::size_t size, std::size_t grain,
                  FunctionRef<void(std::size_t, std::size_t)> body) {
  if (fork_count() != 0) return pool_for(size, grain, body);
  if (!can_start_threads()) return run_blocks(size, grain, body);
  const std::size_t blocks = (size + grain - 1) / grain;
  // Isolated: a thread that waits here must not pick up the caller's other work, which might wait
  // for a lock that this thread holds.
  tbb::this_task_arena::isolate([&] {
    // With the caller's floating-point mode: Embree on x86 makes its threads flush denormal floats
    // to zero.
    tbb::task_group_context context(
        tbb::task_group_context::bound,
        tbb::task_group_context::default_traits | tbb::task_group_context::fp_settings);
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, blocks, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          for (std::size_t block = range.begin(); block != range.end(); ++block)
            body(block * grain, std::min(grain, size - block * grain));
        },
        context);
  });
}

}  // namespace

void ThreadLimit::run(FunctionRef<void()> work) const {
  if (fork_count() != 0) return arena_ ? run_with_budget(arena_->threads, work) : work();
  if (!arena_ && can_start_threads()) return work();
  // Another thread of the arena may run the work.
  const auto controlled = [&work, control = CallControl::current()] {
    const ControlScope scope(control, false);
    work();
  };
  if (!can_start_threads()) return tbb::task_arena(1).execute(controlled);
  arena_->arena->execute(controlled);
}

#endif

void parallel_for(std::size_t size, std::size_t grain,
                  FunctionRef<void(std::size_t, std::size_t)> body) {
  const auto run = [&](FunctionRef<void(std::size_t, std::size_t)> block) {
    if (serial_loops)
      run_blocks(size, grain, block);
    else
      share_blocks(size, grain, block);
  };
  CallControl* const control = CallControl::current();
  if (control != nullptr) control->check();
  if (size <= grain) return run_blocks(size, grain, body);
  if (control == nullptr) return run(body);
  ProgressLoop loop(*control, (size + grain - 1) / grain);
  run([&](std::size_t first, std::size_t count) {
    const ControlScope scope(control, true);
    control->check();
    body(first, count);
    loop.finish_block();
  });
}

ThreadLimit::ThreadLimit(int threads)
    : arena_(threads == 0 ? nullptr : std::make_unique<Arena>(threads)) {}

ThreadLimit::~ThreadLimit() = default;

}  // namespace rtindex
