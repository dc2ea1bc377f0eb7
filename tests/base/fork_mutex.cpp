#include "base/fork_mutex.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/lazy.hpp"
#include "support/forked.hpp"

namespace rtindex::test {
namespace {

TEST(ForkMutex, LetsOneThreadInAtATime) {
  ForkMutex mutex;
  int count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        const ForkLock lock(mutex, [] { FAIL() << "no thread is gone"; });
        ++count;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 80'000);
}

TEST(ForkMutex, UnlocksInChildrenWithoutTheOwner) {
  ForkMutex mutex;
  std::atomic<int> stage = 0;
  std::thread holder([&] {
    const ForkLock lock(mutex, [] {});
    stage = 1;
    stage.notify_all();
    stage.wait(1);
  });
  stage.wait(0);
  EXPECT_EQ(exit_code_of_child([&] {
              int resets = 0;
              for (int i = 0; i < 2; ++i) const ForkLock lock(mutex, [&] { ++resets; });
              return resets;
            }),
            1);
  stage = 2;
  stage.notify_all();
  holder.join();
  const ForkLock lock(mutex, [] { FAIL() << "the parent has all of its threads"; });
}

TEST(Lazy, IsMadeAgainByAChildWhoseParentWasMakingIt) {
  std::atomic<int> stage = 0;
  const Lazy<int> value([&] {
    if (fork_count() == 0) {
      stage = 1;
      stage.notify_all();
      stage.wait(1);
    }
    return 7;
  });
  std::thread maker([&] { EXPECT_EQ(value.get(), 7); });
  stage.wait(0);
  EXPECT_EQ(exit_code_of_child([&] { return value.get(); }), 7);
  stage = 2;
  stage.notify_all();
  maker.join();
}

}  // namespace
}  // namespace rtindex::test
