#include "base/parallel.hpp"

#include <utility>

#if defined(RTINDEX_EXECUTOR_STD)
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#else
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
                const std::function<void(std::size_t, std::size_t)>& body) {
  for (std::size_t first = 0; first < size; first += grain)
    body(first, std::min(grain, size - first));
}

SerialLoops::SerialLoops() : before_(std::exchange(serial_loops, true)) {}

SerialLoops::~SerialLoops() { serial_loops = before_; }

#if defined(RTINDEX_EXECUTOR_STD)

namespace {
thread_local int thread_limit = 0;
}

struct ThreadLimit::Arena {
  int threads;
};

bool can_start_threads() { return true; }

int parallel_threads() {
  if (serial_loops) return 1;
  if (thread_limit != 0) return thread_limit;
  return std::max(2, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_for(std::size_t size, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  if (serial_loops) return serial_for(size, grain, body);
  const std::size_t blocks = (size + grain - 1) / grain;
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex error_mutex;
  auto work = [&] {
    for (;;) {
      const std::size_t block = next.fetch_add(1);
      if (block >= blocks) return;
      try {
        body(block * grain, std::min(grain, size - block * grain));
      } catch (...) {
        const std::lock_guard lock(error_mutex);
        if (!error) error = std::current_exception();
        next = blocks;
      }
    }
  };
  const std::size_t threads =
      std::min<std::size_t>(blocks, static_cast<std::size_t>(parallel_threads()));
  std::vector<std::thread> helpers;
  helpers.reserve(threads);
  try {
    while (helpers.size() + 1 < threads) helpers.emplace_back(work);
  } catch (const std::exception&) {
    // Those that could be started do the work.
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  if (error) std::rethrow_exception(error);
}

ThreadLimit::ThreadLimit(int threads)
    : arena_(threads == 0 ? nullptr : std::make_unique<Arena>(Arena{threads})) {}

void ThreadLimit::run(const std::function<void()>& work) const {
  if (!arena_) return work();
  const int before = std::exchange(thread_limit, arena_->threads);
  try {
    work();
  } catch (...) {
    thread_limit = before;
    throw;
  }
  thread_limit = before;
}

#else

namespace {

// Threads that wait until all of them have been started, and end with this.
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
  explicit Arena(int threads) : arena(std::min(threads, tbb::info::default_concurrency())) {}
  mutable tbb::task_arena arena;
};

int parallel_threads() { return serial_loops ? 1 : tbb::this_task_arena::max_concurrency(); }

void parallel_for(std::size_t size, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  const std::size_t blocks = (size + grain - 1) / grain;
  if (blocks <= 1 || serial_loops || !can_start_threads()) return serial_for(size, grain, body);
  // Isolated: a thread that waits here must not pick up the caller's other work, which might want a
  // lock that this thread holds.
  tbb::this_task_arena::isolate([&] {
    // With the caller's floating-point mode: threads that have worked for Embree on x86 would take
    // the smallest floats for zero.
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

ThreadLimit::ThreadLimit(int threads)
    : arena_(threads == 0 ? nullptr : std::make_unique<Arena>(threads)) {}

void ThreadLimit::run(const std::function<void()>& work) const {
  if (!can_start_threads()) return tbb::task_arena(1).execute(work);
  if (!arena_) return work();
  arena_->arena.execute(work);
}

#endif

ThreadLimit::~ThreadLimit() = default;

}  // namespace rtindex
