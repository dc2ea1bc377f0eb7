// Loading where the system fails, and files that change while an index reads them.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <numeric>
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

struct Case {
  std::string name, spec;
  Content content = Content::keys;
};

class FailingLoad : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    std::iota(keys_.rbegin(), keys_.rend(), 5U);  // descending: a sequence would be a small file
    build_over(GetParam().content, keys_, GetParam().spec).save(path_);
  }

  void expect_keys(const Index& index) const {
    const Answers answers = index.answer(query_of(GetParam().content, keys_), Answer::first);
    for (std::uint32_t row = 0; row < keys_.size(); ++row) ASSERT_EQ(answers.first()[row], row);
  }

  Keys keys_ = Keys(20'000);
  TemporaryFolder folder_;
  std::string path_ = folder_.file("a.rtindex");
};

TEST_P(FailingLoad, ReportsWhatFailed) {
  for (const FileCall call : {FileCall::open, FileCall::status, FileCall::map})
    for (const int error : {EIO, EMFILE, ENOMEM}) {
      const FailingFiles files({.call = call, .error = error});
      const auto kind = error_of([&] { static_cast<void>(load(path_)); });
      EXPECT_EQ(FailingFiles::failed(), 1);
      EXPECT_EQ(kind, call == FileCall::map && error == ENOMEM ? ErrorKind::out_of_memory
                                                               : ErrorKind::io);
      add_count("system calls that failed", name_of(call), 1);
    }
  expect_keys(load(path_));
}

TEST_P(FailingLoad, IsUnaffectedByAReplacedOrDeletedFile) {
  const Index index = load(path_);
  const Keys other = {77};
  const Keys others(1000, other.front());
  build_over(GetParam().content, others, GetParam().spec).save(path_);
  expect_keys(index);
  const Index second = load(path_);
  EXPECT_EQ(second.answer(query_of(GetParam().content, other), Answer::count).count()[0], 1000U);
  std::filesystem::remove(path_);
  expect_keys(index);
  EXPECT_EQ(second.answer(query_of(GetParam().content, other), Answer::count).count()[0], 1000U);
  EXPECT_EQ(error_of([&] { static_cast<void>(load(path_)); }), ErrorKind::io);
}

TEST_P(FailingLoad, RejectsATruncatedFile) {
  const std::size_t whole = std::filesystem::file_size(path_);
  for (const std::size_t bytes :
       {whole - 1, whole / 2, std::size_t{4096}, std::size_t{63}, std::size_t{0}}) {
    std::filesystem::resize_file(path_, bytes);
    EXPECT_EQ(error_of([&] { static_cast<void>(load(path_)); }), ErrorKind::corrupt_file) << bytes;
  }
}

// docs/files.md: the bytes of a file that others may cut are read first.
TEST_P(FailingLoad, IsUnaffectedByTruncationAfterReading) {
  std::ifstream file(path_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Index index = deserialize(std::as_bytes(std::span(text)));
  std::filesystem::resize_file(path_, 4096);
  expect_keys(index);
}

INSTANTIATE_TEST_SUITE_P(Files, FailingLoad,
                         testing::Values(Case{"rx_native", "rx:native@cpu"},
                                         Case{"sorted", "sorted@cpu"}, Case{"btree", "btree@cpu"},
                                         Case{"hash", "hash@cpu"},
                                         Case{"intervals", "rx:native@cpu", Content::intervals},
                                         Case{"points", "rx:native@cpu", Content::points}),
                         [](const auto& tested) { return tested.param.name; });

#if !defined(__SANITIZE_ADDRESS__)
using CutWhileMapped = FailingLoad;

// docs/files.md says so: no library can read a mapping whose file has gone.
TEST_P(CutWhileMapped, EndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto look_up_after_cut = [&] {
    const Index index = load(path_);
    std::filesystem::resize_file(path_, 4096);
    expect_keys(index);
  };
  EXPECT_EXIT(look_up_after_cut(), testing::KilledBySignal(SIGBUS), "");
}

INSTANTIATE_TEST_SUITE_P(Files, CutWhileMapped, testing::Values(Case{"keys", "rx:native@cpu"}),
                         [](const auto& tested) { return tested.param.name; });
#endif

}  // namespace
}  // namespace rtindex::test
