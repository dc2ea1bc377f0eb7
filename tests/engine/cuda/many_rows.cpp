// More rows of one key than an int counts. Needs a GPU with much memory.

#include <gtest/gtest.h>

#include <numeric>

#include <rtindex/rtindex.hpp>

#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"

namespace rtindex::test {
namespace {

class ManyRows : public GpuTestWithParam<std::string> {
 protected:
  void SetUp() override {
    NeedsGpu::SetUp();
    if (IsSkipped()) return;
    constexpr std::size_t needed = std::size_t{80} << 30;
    std::size_t free = 0;
    std::size_t total = 0;
    require(cudaMemGetInfo(&free, &total));
    if (free < needed) GTEST_SKIP() << "needs 80 GiB of GPU memory";
  }
};

TEST_P(ManyRows, OfRepeatedKeysAreFoundAndCounted) {
  // One run after the other, a key being the same byte four times.
  const std::vector<std::pair<std::uint32_t, std::size_t>> runs = {
      {0x05050505U, 7},
      {0x02020202U, (std::size_t{1} << 31) + 3},
      {0x80808080U, std::size_t{1} << 20},
      {0x01010101U, 1},
      {0xfefefefeU, std::size_t{1} << 21}};
  const std::size_t size =
      std::accumulate(runs.begin(), runs.end(), std::size_t{0},
                      [](std::size_t sum, const std::pair<std::uint32_t, std::size_t>& run) {
                        return sum + run.second;
                      });
  const OnGpu keys(size * sizeof(std::uint32_t));
  std::vector<std::uint32_t> lookups = {0, 0x03030303U, ~0U};
  std::vector<std::uint32_t> counts = {0, 0, 0};
  std::vector<std::uint32_t> firsts(3, miss_row);
  std::size_t at = 0;
  for (const auto& [key, length] : runs) {
    require(cudaMemset(keys.as<std::uint32_t>() + at, static_cast<int>(key & 0xffU),
                       length * sizeof(key)));
    lookups.push_back(key);
    counts.push_back(static_cast<std::uint32_t>(length));
    firsts.push_back(static_cast<std::uint32_t>(at));
    at += length;
  }
  require(cudaDeviceSynchronize());
  const Index index = build(ColumnView::of(Type::u32, keys.data(), size).on_device(), GetParam());
  const Answers answers = index.lookup(lookups, Answer::count | Answer::first);
  EXPECT_EQ(std::vector<std::uint32_t>(answers.count().begin(), answers.count().end()), counts);
  EXPECT_EQ(std::vector<std::uint32_t>(answers.first().begin(), answers.first().end()), firsts);
}

INSTANTIATE_TEST_SUITE_P(
    Cuda, ManyRows, testing::Values("rx:native@cuda", "sorted@cuda", "btree@cuda", "hash@cuda"),
    [](const auto& item) { return item.param.substr(0, item.param.find_first_of(":@")); });

}  // namespace
}  // namespace rtindex::test
