// A child process looks up in the indexes of its parent while other threads change them.

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/forked.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

class Fork : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!memory_survives_forks) GTEST_SKIP() << "memory does not survive forks";
  }
};

std::size_t count_of(const Index& index, const std::vector<std::uint32_t>& keys) {
  return index.lookup(keys, Answer::count).count()[0];
}

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
  for (int time = 0; time < 8; ++time)
    failed += exit_code_of_child([&] { return count_of(index, {1500}) == 1 ? 0 : 1; });
  stop = true;
  writer.join();
  EXPECT_EQ(failed, 0);
}

// Looks up, changes the index and merges it. Embree builds scenes with threads and locks of its
// own, which do not survive a fork.
bool can_be_used(Index& index) {
  const std::vector<std::uint32_t> added = {4'000'000'000};
  const std::vector<std::uint32_t> kept = {1};
  const bool was_found = count_of(index, kept) == 1;
  if (index.spec().text().starts_with("rx:embree")) return was_found;
  const std::uint32_t row = index.insert(added);
  index.erase(std::vector<std::uint32_t>{row});
  index.insert(added);
  const bool is_there = count_of(index, added) == 1;
  index.merge();
  return was_found && is_there && count_of(index, added) == 1;
}

TEST_P(Fork, LeavesAnIndexThatCanBeChangedWhileOthersChangeIt) {
  std::vector<std::uint32_t> keys(50'000);
  for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = i;
  Index index = build(keys, GetParam() + ",delta=1000");
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    const std::vector<std::uint32_t> some(keys.begin() + 1000, keys.begin() + 1600);
    for (std::uint32_t i = 0; !stop; ++i) {
      index.insert(some);
      index.erase(std::vector<std::uint32_t>{100 + i % 40'000});
      if (i % 16 == 15) index.merge();
    }
  });
  std::thread reader([&] {
    while (!stop) static_cast<void>(index.lookup(keys, Answer::count));
  });
  int failed = 0;
  for (int time = 0; time < 30; ++time)
    failed += exit_code_of_child([&] { return can_be_used(index) ? 0 : 1; });
  stop = true;
  writer.join();
  reader.join();
  EXPECT_EQ(failed, 0);
}

// A change may wait for what the thread that forks holds, such as Python's GIL.
TEST_P(Fork, DoesNotWaitForAChange) {
  std::vector<std::uint32_t> keys(100'000);
  for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = i;
  Index index = build(keys, GetParam());
  std::atomic<bool> is_changing = false;
  std::atomic<bool> has_forked = false;
  std::thread writer([&] {
    const ControlledCalls waiting({.progress = [&](double) {
      is_changing = true;
      is_changing.notify_all();
      has_forked.wait(false);
    }});
    index.insert(keys);
  });
  is_changing.wait(false);
  EXPECT_EQ(exit_code_of_child([&] { return can_be_used(index) ? 0 : 1; }), 0);
  has_forked = true;
  has_forked.notify_all();
  writer.join();
  EXPECT_EQ(index.size(), 2 * keys.size());
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
