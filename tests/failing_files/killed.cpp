// A process that saves all the time is killed at random moments: the file is the old or the new
// one, whole.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "failing_files/failing_calls.hpp"
#include "support/counts.hpp"
#include "support/random.hpp"
#include "support/temporary_folder.hpp"

namespace rtindex::test {
namespace {

constexpr const char* path_name = "RTINDEX_TEST_SAVES_TO";
constexpr const char* named_name = "RTINDEX_TEST_SAVES_WITH_NAMES";

Index index_of(std::uint64_t first) {
  std::vector<std::uint64_t> keys(30'000);
  std::iota(keys.begin(), keys.end(), first);
  return build(keys, "rx:native@cpu,threads=1");
}

// Run by the child; an environment variable names the file.
TEST(KilledChild, DISABLED_Saves) {
  const char* const path = std::getenv(path_name);
  if (path == nullptr) GTEST_SKIP() << "the child of the other test";
  const FailingFiles files({.has_nameless = std::getenv(named_name) == nullptr});
  const Index first = index_of(0);
  const Index second = index_of(1'000'000);
  for (;;) {
    first.save(path);
    second.save(path);
  }
}

class KilledWhileSaving : public testing::TestWithParam<bool> {
 protected:
  // A new program: the threads of this one would not live on in a fork.
  [[nodiscard]] pid_t start() const {
    const pid_t child = fork();
    if (child != 0) return child;
    setenv(path_name, path_.c_str(), 1);
    if (GetParam()) setenv(named_name, "1", 1);
    execl("/proc/self/exe", "test_failing_files", "--gtest_also_run_disabled_tests",
          "--gtest_filter=KilledChild.DISABLED_Saves", "--gtest_brief=1",
          static_cast<char*>(nullptr));
    _exit(1);
  }

  [[nodiscard]] ino_t file_number() const {
    struct stat status {};
    return stat(path_.c_str(), &status) == 0 ? status.st_ino : 0;
  }

  TemporaryFolder folder_{TemporaryFolder::Medium::memory};
  std::string path_ = folder_.file("a.rtindex");
};

TEST_P(KilledWhileSaving, LeavesTheOldOrTheNewFile) {
  const std::array<std::vector<std::byte>, 2> whole = {index_of(0).serialize(),
                                                       index_of(1'000'000).serialize()};
  index_of(0).save(path_);
  Random random(testing::UnitTest::GetInstance()->random_seed() + 9);
  const int rounds = may_take_long() ? 1000 : 12;
  std::array<int, 2> seen = {};
  // They stay: later saves go on beside them.
  std::set<std::filesystem::path> left_behind;
  for (int round = 0; round < rounds; ++round) {
    const ino_t before = file_number();
    const pid_t child = start();
    ASSERT_GT(child, 0);
    int status = 0;
    while (file_number() == before && waitpid(child, &status, WNOHANG) == 0) usleep(200);
    usleep(static_cast<useconds_t>(random.below(20'000)));
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "round " << round;
    const std::vector<std::byte> now = load(path_, {.verify = Verify::full}).serialize();
    ASSERT_TRUE(now == whole[0] || now == whole[1]) << "round " << round;
    ++seen[now == whole[0] ? 0 : 1];
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      if (entry.path() == path_ || !left_behind.insert(entry.path()).second) continue;
      EXPECT_TRUE(entry.path().filename().string().starts_with(".a.rtindex."));
      // Without files without names it may have been killed anywhere.
      if (!GetParam()) static_cast<void>(load(entry.path(), {.verify = Verify::full}));
    }
  }
  EXPECT_LE(left_behind.size(), static_cast<std::size_t>(rounds));  // one each at most
  index_of(0).save(path_);
  EXPECT_EQ(load(path_, {.verify = Verify::full}).serialize(), whole[0]);
  EXPECT_EQ(folder_.count_files(), left_behind.size() + 1);
  add_count("processes killed while they saved", GetParam() ? "with names" : "without names",
            static_cast<std::uint64_t>(rounds));
  add_count("temporary files left by them", GetParam() ? "with names" : "without names",
            left_behind.size());
  std::printf("old file %d times, new file %d times, %zu temporary files left\n", seen[0], seen[1],
              left_behind.size());
}

INSTANTIATE_TEST_SUITE_P(Files, KilledWhileSaving, testing::Bool(), [](const auto& tested) {
  return tested.param ? "WithNames" : "WithoutNames";
});

}  // namespace
}  // namespace rtindex::test
