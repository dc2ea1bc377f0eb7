#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "base/function_ref.hpp"

namespace rtindex {

// A loop over [0, size) in blocks of `grain` (the last may be shorter), run by many threads:
// body(first, count). Nested calls are fine. An exception in a body reaches the caller.
// On oneTBB it runs in the caller's arena. Where oneTBB cannot be linked (the DuckDB extension, the
// thread sanitizer), and in forked children, it runs on a ThreadPool.
void parallel_for(std::size_t size, std::size_t grain,
                  FunctionRef<void(std::size_t first, std::size_t count)> body);

// The same loop, block after block on the caller's thread.
void serial_for(std::size_t size, std::size_t grain,
                FunctionRef<void(std::size_t first, std::size_t count)> body);

// Sums (or otherwise merges) what body(first, count) returns over blocks, in block order.
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

// Whether the system lets this process start the threads that oneTBB wants. Where it does not,
// oneTBB would throw in the middle of a loop and hang in a later one: loops, and what ThreadLimit
// runs, then keep to the caller's thread. Asked until it is so for the first time, because oneTBB
// keeps its threads.
[[nodiscard]] bool can_start_threads();

// How many threads a loop may use here.
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
