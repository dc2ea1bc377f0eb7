#include "base/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <functional>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <rtindex/threads.hpp>

namespace rtindex {
namespace {

// The sum of 0..size-1, by loops inside of a loop.
std::size_t nested_sum(std::size_t size) {
  std::atomic<std::size_t> sum = 0;
  parallel_for(size, 50, [&](std::size_t first, std::size_t count) {
    parallel_for(count, 3, [&](std::size_t inner, std::size_t inner_count) {
      for (std::size_t i = inner; i < inner + inner_count; ++i) sum += first + i;
    });
  });
  return sum;
}

constexpr std::size_t summed = 1000;
constexpr std::size_t expected_sum = summed * (summed - 1) / 2;

// Runs work in a forked child, which a signal ends if it has not returned after a minute.
void expect_true_in_child(const std::function<bool()>& work) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);
    _exit(work() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// Threads that run work again and again until the end of the scope.
class Busy {
 public:
  Busy(int threads, const std::function<void()>& work) {
    for (int i = 0; i < threads; ++i)
      threads_.emplace_back([this, work] {
        while (!is_over_) work();
      });
  }
  ~Busy() {
    is_over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  std::atomic<bool> is_over_ = false;
  std::vector<std::thread> threads_;
};

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
    const SerialCalls serial;
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

TEST(ParallelFor, RunsLoopsAfterAnException) {
  for (int round = 0; round < 100; ++round) {
    EXPECT_THROW(parallel_for(100, 1,
                              [](std::size_t, std::size_t) {
                                parallel_for(10, 1, [](std::size_t, std::size_t) {
                                  throw std::runtime_error("no");
                                });
                              }),
                 std::runtime_error);
    EXPECT_EQ(nested_sum(summed), expected_sum);
  }
}

TEST(ParallelFor, ServesManyCallersAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<int> exact = 0;
  for (int caller = 0; caller < 8; ++caller)
    callers.emplace_back([&, caller] {
      const ThreadLimit limit(caller % 4);  // 0: none
      for (int round = 0; round < 50; ++round)
        limit.run([&] { exact += nested_sum(summed) == expected_sum ? 1 : 0; });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(exact, 400);
}

TEST(ParallelFor, UsesSeveralThreads) {
  if (parallel_threads() == 1) GTEST_SKIP() << "one processor";
  // The first block ends when another thread has begun one.
  std::atomic<int> begun = 0;
  parallel_for(2, 1, [&](std::size_t, std::size_t) {
    ++begun;
    while (begun < 2) std::this_thread::yield();
  });
  EXPECT_EQ(begun, 2);
}

TEST(ParallelFor, KeepsTheRoundingOfItsCaller) {
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  std::atomic<int> other = 0;
  parallel_for(1000, 1, [&](std::size_t, std::size_t) {
    if (std::fegetround() != FE_UPWARD) ++other;
  });
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(other, 0);
}

TEST(ParallelFor, RunsInAForkedChild) {
  EXPECT_EQ(nested_sum(summed), expected_sum);
  for (int round = 0; round < 10; ++round)
    expect_true_in_child([] { return nested_sum(summed) == expected_sum; });
  EXPECT_EQ(nested_sum(summed), expected_sum);
}

TEST(ParallelFor, RunsInTheChildOfAForkedChild) {
  expect_true_in_child([] {
    const bool is_exact = nested_sum(summed) == expected_sum;
    expect_true_in_child([] { return nested_sum(summed) == expected_sum; });
    return is_exact && !testing::Test::HasFailure();
  });
}

TEST(ParallelFor, RunsInAChildForkedDuringLoops) {
  const Busy busy(3, [] { EXPECT_EQ(nested_sum(summed), expected_sum); });
  for (int round = 0; round < 30; ++round)
    expect_true_in_child([] { return nested_sum(summed) == expected_sum; });
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

TEST(ParallelReduce, ReturnsTheStartForAnEmptyLoop) {
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

TEST(ThreadLimit, LimitsNestedLoops) {
  for (const int threads : {1, 2}) {
    std::mutex mutex;
    std::set<std::thread::id> working;
    std::size_t most = 0;
    ThreadLimit(threads).run([&] {
      parallel_for(20, 1, [&](std::size_t, std::size_t) {
        parallel_for(20, 1, [&](std::size_t, std::size_t) {
          {
            const std::lock_guard lock(mutex);
            working.insert(std::this_thread::get_id());
            most = std::max(most, working.size());
          }
          std::this_thread::yield();
          const std::lock_guard lock(mutex);
          working.erase(std::this_thread::get_id());
        });
      });
    });
    EXPECT_GE(most, 1U);
    EXPECT_LE(most, static_cast<std::size_t>(threads));
  }
}

TEST(ThreadLimit, PassesExceptionsOnAndIsLiftedAgain) {
  const int before = parallel_threads();
  const ThreadLimit one(1);
  EXPECT_THROW(one.run([] { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(parallel_threads(), before);
}

}  // namespace
}  // namespace rtindex
