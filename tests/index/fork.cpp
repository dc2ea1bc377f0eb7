// A child process looks up in the indexes of its parent while other threads change them.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/specs.hpp"

namespace rtindex::test {
namespace {

class Fork : public testing::TestWithParam<std::string> {};

TEST_P(Fork, LeavesTheLocksOfIndexesFree) {
  std::vector<std::uint32_t> keys(2000);
  for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = i;
  Index index = build(keys, GetParam());
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (std::uint32_t i = 0; !stop; ++i)
      index.update(std::vector<std::uint32_t>{i % 1000}, std::vector<std::uint32_t>{5});
  });
  int failed = 0;
  for (int time = 0; time < 8; ++time) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      _exit(index.lookup(std::vector<std::uint32_t>{1500}, Answer::count).count()[0] == 1 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    failed += status == 0 ? 0 : 1;
  }
  stop = true;
  writer.join();
  EXPECT_EQ(failed, 0);
}

#if defined(RTINDEX_HAS_EMBREE)
INSTANTIATE_TEST_SUITE_P(Cpu, Fork, testing::Values("rx:native@cpu", "rx:embree@cpu,update=refit"),
                         [](const auto& item) { return test_name(item.param); });
#else
INSTANTIATE_TEST_SUITE_P(Cpu, Fork, testing::Values("rx:native@cpu"),
                         [](const auto& item) { return test_name(item.param); });
#endif

}  // namespace
}  // namespace rtindex::test
