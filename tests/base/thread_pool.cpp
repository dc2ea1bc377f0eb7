#include "base/thread_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace rtindex {
namespace {

bool visits_all_once(std::size_t size, std::size_t grain) {
  std::vector<std::atomic<int>> visits(size);
  ThreadPool::of_process().run(size, grain, [&](std::size_t first, std::size_t count) {
    ThreadPool::of_process().run(count, 7, [&](std::size_t inner, std::size_t inner_count) {
      for (std::size_t i = inner; i < inner + inner_count; ++i) ++visits[first + i];
    });
  });
  return std::ranges::all_of(visits, [](const std::atomic<int>& visit) { return visit == 1; });
}

TEST(ThreadPool, VisitsEveryElementOnceInNestedLoops) {
  for (const std::size_t size : {0U, 1U, 99U, 100U, 101U, 12345U})
    EXPECT_TRUE(visits_all_once(size, 100)) << size;
}

TEST(ThreadPool, ServesManyCallersAtOnce) {
  std::atomic<int> exact = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller)
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) exact += visits_all_once(500, 20) ? 1 : 0;
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(exact, 400);
}

TEST(ThreadPool, RethrowsOneExceptionAndSkipsTheOtherBlocks) {
  constexpr std::size_t blocks = 1'000'000;
  std::atomic<std::size_t> begun = 0;
  EXPECT_THROW(ThreadPool::of_process().run(blocks, 1,
                                            [&](std::size_t, std::size_t) {
                                              ++begun;
                                              throw std::runtime_error("no");
                                            }),
               std::runtime_error);
  EXPECT_LE(begun, static_cast<std::size_t>(ThreadPool::of_process().max_threads()));
}

TEST(ThreadPool, RunsLoopsOnTheirCallersThreadAfterItStopped) {
  static ThreadPool& pool = *new ThreadPool;  // never destroyed, and that of the process goes on
  for (int round = 0; round < 3; ++round) {
    std::atomic<int> blocks = 0;
    pool.run(100, 1, [&](std::size_t, std::size_t) { ++blocks; });
    EXPECT_EQ(blocks, 100);
  }
  pool.stop();
  const auto own = std::this_thread::get_id();
  int blocks = 0;
  pool.run(100, 1, [&](std::size_t, std::size_t) {
    EXPECT_EQ(std::this_thread::get_id(), own);
    ++blocks;
  });
  EXPECT_EQ(blocks, 100);
}

}  // namespace
}  // namespace rtindex
