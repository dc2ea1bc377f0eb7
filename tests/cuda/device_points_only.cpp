// `auto` on a GPU where only points will be asked: measured once, kept in a file, and exact.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "cuda/device_copy.hpp"
#include "cuda/gpu_test.hpp"
#include "support/temporary_folder.hpp"

namespace rtindex::test {
namespace {

class DevicePointsOnly : public GpuTest {
 protected:
  void TearDown() override { unsetenv("XDG_CACHE_HOME"); }

  TemporaryFolder folder_;
};

TEST_F(DevicePointsOnly, IsMeasuredAndAnswersPoints) {
  setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
  for (const std::size_t size : {std::size_t{1000}, (std::size_t{1} << 20) + 5}) {
    std::vector<std::uint64_t> keys(size);
    for (std::size_t i = 0; i < size; ++i) keys[i] = i * 0x9e3779b97f4a7c15U;
    const ColumnOnGpu column{ColumnView(keys)};
    const Index index = build(column.view(), "auto@cuda", {.points_only = true});
    EXPECT_TRUE(index.spec().kind() == "rx" || index.spec().kind() == "hash");
    EXPECT_EQ(index.spec().device(), "cuda");
    const std::string text = index.describe();
    for (const char* part :
         {"chosen for points only: on ", " 64-bit keys took ", " ms with hash, "})
      EXPECT_NE(text.find(part), std::string::npos) << text;
    const Answers answers = index.lookup(keys, Answer::any);
    for (std::size_t row = 0; row < size; ++row) ASSERT_EQ(answers.any()[row], row);
  }
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
    files += entry.path().filename().string().starts_with("auto-points-") ? 1 : 0;
  EXPECT_EQ(files, 2U) << "one for small columns and one for large ones";
}

}  // namespace
}  // namespace rtindex::test
