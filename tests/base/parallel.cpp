#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace rtindex {
namespace {

TEST(ParallelFor, VisitsEveryElementOnce) {
  for (const std::size_t size : {0U, 1U, 99U, 100U, 101U, 12345U}) {
    std::vector<std::atomic<int>> visits(size);
    parallel_for(size, 100, [&](std::size_t first, std::size_t count) {
      EXPECT_EQ(first % 100, 0U);
      EXPECT_LE(count, 100U);
      EXPECT_GE(count, 1U);
      for (std::size_t i = first; i < first + count; ++i) ++visits[i];
    });
    for (const std::atomic<int>& visit : visits) EXPECT_EQ(visit, 1);
  }
}

TEST(SerialFor, VisitsBlocksInOrder) {
  std::vector<std::pair<std::size_t, std::size_t>> blocks;
  const auto visit = [&](std::size_t first, std::size_t count) {
    blocks.emplace_back(first, count);
  };
  serial_for(0, 100, visit);
  EXPECT_TRUE(blocks.empty());
  serial_for(201, 100, visit);
  EXPECT_EQ(blocks,
            (std::vector<std::pair<std::size_t, std::size_t>>{{0, 100}, {100, 100}, {200, 1}}));
}

TEST(ParallelFor, Nests) {
  std::atomic<int> inner = 0;
  parallel_for(10, 1, [&](std::size_t, std::size_t) {
    parallel_for(10, 1, [&](std::size_t, std::size_t) { ++inner; });
  });
  EXPECT_EQ(inner, 100);
}

TEST(ParallelFor, StaysOnItsThreadWhileLoopsAreSerial) {
  const auto own = std::this_thread::get_id();
  const int before = parallel_threads();
  std::vector<std::size_t> firsts;
  {
    const SerialLoops serial;
    EXPECT_EQ(parallel_threads(), 1);
    parallel_for(1050, 100, [&](std::size_t first, std::size_t count) {
      EXPECT_EQ(std::this_thread::get_id(), own);
      EXPECT_EQ(count, first == 1000 ? 50U : 100U);
      firsts.push_back(first);
    });
  }
  EXPECT_EQ(firsts.size(), 11U);
  EXPECT_TRUE(std::ranges::is_sorted(firsts));
  EXPECT_EQ(parallel_threads(), before);
}

TEST(ParallelFor, PassesExceptionsOn) {
  for (const std::size_t size : {1U, 1000U})
    EXPECT_THROW(parallel_for(size, 1,
                              [&](std::size_t first, std::size_t) {
                                if (first == size / 2) throw std::runtime_error("no");
                              }),
                 std::runtime_error);
}

TEST(ParallelReduce, MergesInOrder) {
  const auto joined = parallel_reduce(
      26, 4, std::string(">"),
      [](std::size_t first, std::size_t count) {
        std::string text;
        for (std::size_t i = first; i < first + count; ++i) text += static_cast<char>('a' + i);
        return text;
      },
      [](const std::string& a, const std::string& b) { return a + b; });
  EXPECT_EQ(joined, ">abcdefghijklmnopqrstuvwxyz");
}

TEST(ParallelReduce, OfNothingIsTheStart) {
  EXPECT_EQ(
      parallel_reduce(
          0, 4, 7, [](std::size_t, std::size_t) { return 1; }, [](int a, int b) { return a + b; }),
      7);
}

TEST(ThreadLimit, LimitsTheThreads) {
  const ThreadLimit one(1);
  one.run([] { EXPECT_EQ(parallel_threads(), 1); });
  const int before = parallel_threads();
  const ThreadLimit two(2);
  two.run([&] { EXPECT_EQ(parallel_threads(), std::min(2, before)); });
  const ThreadLimit all(0);
  all.run([&] { EXPECT_EQ(parallel_threads(), before); });
  EXPECT_EQ(parallel_threads(), before);
}

TEST(ThreadLimit, PassesExceptionsOnAndIsLiftedAgain) {
  const int before = parallel_threads();
  const ThreadLimit one(1);
  EXPECT_THROW(one.run([] { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(parallel_threads(), before);
}

}  // namespace
}  // namespace rtindex
