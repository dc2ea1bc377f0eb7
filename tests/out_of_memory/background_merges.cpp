// A merge in the background that runs out of memory leaves the index as it was, is reported, and is
// tried again.

#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "out_of_memory/failing_memory.hpp"
#include "support/description.hpp"
#include "support/specs.hpp"

namespace rtindex::test::background_merges {
namespace {

using Keys = std::vector<std::uint64_t>;

class BackgroundMergesOutOfMemory : public testing::TestWithParam<std::string> {};

// Waits for the merge, while its allocations fail, and those of this thread.
void wait_for_merge(const Index& index) {
  while (true) {
    try {
      if (described(index, "merge").find("running") == std::string::npos) return;
    } catch (const std::exception&) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST_P(BackgroundMergesOutOfMemory, AreReportedAndTriedAgain) {
  constexpr std::size_t rows = 12'000;
  constexpr std::size_t bound = 100;
  Keys keys(rows);
  for (std::size_t row = 0; row < rows; ++row) keys[row] = row * 7 % 1000;
  Index full = build(keys, GetParam() + ",delta=" + std::to_string(bound));
  for (std::uint64_t key = 0; key < bound; ++key) full.insert(Keys{key});
  const Keys one = {3};
  const std::size_t before = full.lookup(one, Answer::count).count()[0];
  std::size_t failed_changes = 0;
  std::size_t failed_merges = 0;
  for (long after = 0;; after += effort_divisor > 1 ? 5 : 1) {
    SCOPED_TRACE(after);
    Index index = full.snapshot();
    std::size_t added = 1;
    long failed = 0;
    {
      const FailingMemory failing(after, FailingMemory::Which::one_of_threads);
      try {
        index.insert(one);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::out_of_memory) << error.what();
        added = 0;
      }
      wait_for_merge(index);
      failed = FailingMemory::failed();
    }
    failed_changes += 1 - added;
    failed_merges += described(index, "merge").empty() ? 0 : 1;
    ASSERT_EQ(index.lookup(one, Answer::count).count()[0], before + added);
    ASSERT_EQ(index.size(), rows + bound + added);
    index.insert(one);  // tries again
    index.merge();
    ASSERT_EQ(described(index, "merge"), "");
    ASSERT_EQ(index.lookup(one, Answer::count).count()[0], before + added + 1);
    if (failed == 0) break;
  }
  EXPECT_GT(failed_changes, 0U);
  EXPECT_GT(failed_merges, 0U);
}

INSTANTIATE_TEST_SUITE_P(OutOfMemory, BackgroundMergesOutOfMemory,
                         testing::Values("sorted@cpu", "rx:native@cpu", "hash@cpu"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test::background_merges
