// Saving where the system fails: the file stays as it was, nothing is left beside it, and the index
// can be saved as soon as the system works again.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "failing_files/contents.hpp"
#include "failing_files/failing_calls.hpp"
#include "support/counts.hpp"
#include "support/run.hpp"
#include "support/temporary_folder.hpp"

namespace rtindex::test {
namespace {

using Keys = std::vector<std::uint64_t>;
using Bytes = std::vector<std::byte>;

Keys keys_from(std::uint64_t first) {
  Keys keys(2000);
  std::iota(keys.rbegin(), keys.rend(), first);  // descending: a sequence would be a small file
  return keys;
}

Bytes bytes_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* const start = reinterpret_cast<const std::byte*>(text.data());
  return {start, start + text.size()};
}

class FailingSave : public testing::TestWithParam<Content> {
 protected:
  void SetUp() override { old_index_.save(path_); }

  [[nodiscard]] static std::uint32_t row_of(const Index& index, std::uint64_t key) {
    return index.answer(query_of(GetParam(), key), Answer::any).any()[0];
  }
  // The old file alone, and an index that answers.
  void expect_old() const {
    EXPECT_EQ(bytes_in(path_), old_index_.serialize());
    EXPECT_EQ(folder_.count_files(), 1U);
    EXPECT_EQ(row_of(new_index_, 1003), 1996U);
  }
  void expect_new() const {
    EXPECT_EQ(bytes_in(path_), new_index_.serialize());
    EXPECT_EQ(folder_.count_files(), 1U);
    EXPECT_EQ(row_of(load(path_), 1003), 1996U);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("a.rtindex");
  Index old_index_ = build(keys_from(0), "sorted@cpu,threads=1");
  Index new_index_ = build_over(GetParam(), keys_from(1000), "rx:native@cpu,threads=1");
};

TEST_P(FailingSave, LeavesTheFileUnchanged) {
  for (const bool has_nameless : {true, false})
    for (const FileCall call : all_file_calls)
      for (const int error : {ENOSPC, EIO, EDQUOT, EACCES, EMFILE}) {
        SCOPED_TRACE(name_of(call) + (has_nameless ? "" : ", with a name") + ", error " +
                     std::to_string(error));
        for (long after = 0;; ++after) {
          ASSERT_LT(after, 1000);
          bool thrown = true;
          try {
            const FailingFiles files(
                {.call = call, .error = error, .after = after, .has_nameless = has_nameless});
            new_index_.save(path_);
            thrown = false;
          } catch (const Error& failure) {
            EXPECT_EQ(failure.kind(), ErrorKind::io) << failure.what();
            EXPECT_NE(std::string(failure.what()).find(path_), std::string::npos);
          }
          add_count("system calls that failed", name_of(call),
                    static_cast<std::uint64_t>(FailingFiles::failed()));
          if (thrown) expect_old();
          if (!thrown) {
            // Without a folder to sync, or without files without names, it does with less.
            expect_new();
            old_index_.save(path_);
          }
          ASSERT_FALSE(HasFailure()) << "call " << after;
          if (FailingFiles::failed() == 0) break;
        }
      }
}

TEST_P(FailingSave, RetriesPartialWrites) {
  for (const bool has_nameless : {true, false}) {
    const FailingFiles files({.has_nameless = has_nameless, .max_bytes = 777, .interrupts = true});
    new_index_.save(path_);
  }
  expect_new();
}

// A killed process may have left a file of the very name that was chosen.
TEST_P(FailingSave, SkipsExistingTemporaryNames) {
  for (const bool has_nameless : {true, false}) {
    const FailingFiles files({.call = has_nameless ? FileCall::link : FileCall::open,
                              .error = EEXIST,
                              .has_nameless = has_nameless});
    (has_nameless ? old_index_ : new_index_).save(path_);
    EXPECT_EQ(FailingFiles::failed(), 1);
  }
  expect_new();
}

// The kernel's own limit on the size of a file, which it reports like a full disk.
TEST_P(FailingSave, StopsAtALimitOfTheSystem) {
  struct sigaction ignore {};
  struct sigaction usual {};
  ignore.sa_handler = SIG_IGN;  // NOLINT(*-union-access)
  sigaction(SIGXFSZ, &ignore, &usual);
  rlimit whole{};
  getrlimit(RLIMIT_FSIZE, &whole);
  for (const rlim_t bytes : {0U, 1U, 4096U, 10'000U}) {
    const rlimit small{bytes, whole.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    EXPECT_EQ(error_of([&] { new_index_.save(path_); }), ErrorKind::io) << bytes;
    setrlimit(RLIMIT_FSIZE, &whole);
    expect_old();
  }
  sigaction(SIGXFSZ, &usual, nullptr);
  new_index_.save(path_);
  expect_new();
}

// A user without permission to write, while it lives.
class Nobody {
 public:
  Nobody() : changed_(geteuid() != 0 || setresuid(nobody, nobody, 0) == 0) {}
  ~Nobody() {
    if (geteuid() == nobody) static_cast<void>(setresuid(0, 0, 0) == 0);
  }
  Nobody(const Nobody&) = delete;
  Nobody& operator=(const Nobody&) = delete;
  [[nodiscard]] bool changed() const { return changed_; }

 private:
  static constexpr uid_t nobody = 65534;
  bool changed_;
};

TEST_P(FailingSave, RejectsAFolderWithoutPermission) {
  chmod(folder_.path().c_str(), 0555);
  std::optional<ErrorKind> error;
  {
    const Nobody user;
    if (!user.changed()) GTEST_SKIP() << "cannot become another user";
    error = error_of([&] { new_index_.save(path_); });
  }
  EXPECT_EQ(error, ErrorKind::io);
  chmod(folder_.path().c_str(), 0755);
  expect_old();
  chmod(path_.c_str(), 0);
  {
    const Nobody user;
    error = error_of([&] { static_cast<void>(load(path_)); });
  }
  EXPECT_EQ(error, ErrorKind::io);
}

TEST_P(FailingSave, RejectsAMissingFolder) {
  EXPECT_EQ(error_of([&] { new_index_.save(folder_.file("gone/a.rtindex")); }), ErrorKind::io);
  expect_old();
}

INSTANTIATE_TEST_SUITE_P(Contents, FailingSave,
                         testing::Values(Content::keys, Content::intervals, Content::points),
                         [](const auto& tested) { return name_of(tested.param); });

}  // namespace
}  // namespace rtindex::test
