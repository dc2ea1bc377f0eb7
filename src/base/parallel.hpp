#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "base/function_ref.hpp"

namespace rtindex {

// A loop over [0, size) in blocks of `grain` (the last may be shorter), run by many threads:
// body(first, count). Nested calls are fine. An exception in a body reaches the caller. Where the
// call that runs it can be stopped (base/call_control.hpp), it throws between two blocks.
// On oneTBB it runs in the caller's arena. Where oneTBB cannot be linked (the DuckDB extension, the
// thread sanitizer), and in forked children, it runs on a ThreadPool.
void parallel_for(std::size_t size, std::size_t grain,
                  FunctionRef<void(std::size_t first, std::size_t count)> body);

// parallel_for() block after block, on the caller's thread; loops in its body count as progress.
void serial_for(std::size_t size, std::size_t grain,
                FunctionRef<void(std::size_t first, std::size_t count)> body);

// Merges the results of body(first, count) over all blocks, in block order.
template <class T, class Body, class Merge>
[[nodiscard]] T parallel_reduce(std::size_t size, std::size_t grain, T start, Body&& body,
                                Merge&& merge) {
  const std::size_t blocks = (size + grain - 1) / grain;
  auto results = std::make_unique<T[]>(blocks);
  parallel_for(blocks, 1, [&](std::size_t block, std::size_t) {
    const std::size_t first = block * grain;
    results[block] = body(first, std::min(grain, size - first));
  });
  for (std::size_t block = 0; block < blocks; ++block) start = merge(start, results[block]);
  return start;
}

// Whether the system lets this process start the threads of oneTBB. Without them oneTBB would throw
// in the middle of a loop and hang in a later one, so loops and ThreadLimit::run() then stay on the
// caller's thread. Tested until the first success, because oneTBB keeps its threads.
[[nodiscard]] bool can_start_threads();

// The number of threads that a loop of the calling thread may use.
[[nodiscard]] int parallel_threads();

// Runs work with at most `threads` threads (0: as many as the caller's arena has).
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

  void run(FunctionRef<void()> work) const;

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace rtindex
