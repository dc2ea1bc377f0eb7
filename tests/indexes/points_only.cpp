// An index of which only points will be asked: `auto` may become a hash table, as the environment
// variable RTINDEX_AUTO requests here. Every test has a kind of column of its own, because a
// process chooses once for each.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/temporary_folder.hpp"

namespace rtindex::test {
namespace {

class PointsOnly : public testing::Test {
 protected:
  void SetUp() override { setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1); }
  void TearDown() override {
    unsetenv("XDG_CACHE_HOME");
    unsetenv("RTINDEX_AUTO");
  }
  static void want(const char* choice) { setenv("RTINDEX_AUTO", choice, 1); }

  template <class Key>
  [[nodiscard]] static std::vector<Key> keys(std::size_t count) {
    std::vector<Key> result(count);
    for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<Key>(i * 7919 % 10007);
    return result;
  }
  [[nodiscard]] static std::string error_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unsupported);
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return {};
  }

  TemporaryFolder folder_;
};

const BuildOptions points_only{.points_only = true};

TEST_F(PointsOnly, MayBecomeAHashTable) {
  want("hash");
  const std::vector<std::uint32_t> column = keys<std::uint32_t>(1000);
  const Index index = build(column, "auto@cpu", points_only);
  EXPECT_EQ(index.spec().kind(), "hash");
  EXPECT_EQ(index.spec().device(), "cpu");
  EXPECT_NE(index.describe().find("chosen for points only: RTINDEX_AUTO=hash is set"),
            std::string::npos)
      << index.describe();
  const Answers answers = index.lookup(column, Answer::any);
  for (std::uint32_t row = 0; row < column.size(); ++row) ASSERT_EQ(answers.any()[row], row);

  // Questions of order are refused with a hint, also by a snapshot.
  const std::string hint = "points_only chose a hash table here";
  const std::vector<std::uint64_t> ranks = {0};
  const Index snapshot = index.snapshot();
  for (const Index* each : {&index, &snapshot}) {
    for (const std::function<void()>& call : std::vector<std::function<void()>>{
             [&] { static_cast<void>(each->range(column, column, Answer::count)); },
             [&] { static_cast<void>(each->nearest(column, {})); },
             [&] { static_cast<void>(each->select(ranks)); },
             [&] {
               static_cast<void>(
                   each->lookup(column, {.answers = Answer::rows, .order = RowOrder::ascending}));
             }})
      EXPECT_NE(error_of(call).find(hint), std::string::npos) << error_of(call);
  }
  // Somebody who chose the hash table himself needs none.
  const Index own = build(column, "hash@cpu", points_only);
  EXPECT_EQ(own.describe().find("chosen for points only"), std::string::npos);
  EXPECT_EQ(
      error_of([&] { static_cast<void>(own.range(column, column, Answer::count)); }).find(hint),
      std::string::npos);
}

TEST_F(PointsOnly, IsAWishThatSpecsAndIncludedValuesOverride) {
  want("hash");
  const std::vector<std::uint64_t> column = keys<std::uint64_t>(1000);
  EXPECT_EQ(build(column, "rx:native@cpu", points_only).spec().kind(), "rx");
  EXPECT_EQ(build(column, "sorted@cpu", points_only).spec().kind(), "sorted");
  EXPECT_EQ(build(column, "auto@cpu").spec().kind(), "rx");
  // An option that hash does not take.
  EXPECT_EQ(build(column, "auto@cpu,order=off", points_only).spec().kind(), "rx");
  const Index included = build(column, "auto@cpu", {.include = column, .points_only = true});
  EXPECT_EQ(included.spec().kind(), "rx");
}

TEST_F(PointsOnly, IsMeasuredAndKept) {
  const std::vector<std::string> column = {"a", "b", "c"};
  const Index index = build(column, "auto@cpu", points_only);
  const std::string text = index.describe();
  for (const char* part : {"chosen for points only: on ", " strings took ",
                           " ms with rx:native@cpu", " ms with hash, measured now and kept in "})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
    files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 1U);
  EXPECT_EQ(index.lookup(std::vector<std::string>{"c"}, Answer::any).any()[0], 2U);
  // Later builds of this process do not measure.
  EXPECT_EQ(build(column, "auto@cpu", points_only).spec(), index.spec());
}

}  // namespace
}  // namespace rtindex::test
