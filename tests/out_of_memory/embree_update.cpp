// An update in place that runs out of memory leaves the index as it was.

#if defined(RTINDEX_HAS_EMBREE)

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "out_of_memory/failing_memory.hpp"

namespace rtindex::test {
namespace {

using Keys = std::vector<std::uint64_t>;

class EmbreeUpdate : public testing::TestWithParam<std::string> {};

void expect_keys(const Index& index, const Keys& keys) {
  const Answers rows = index.lookup(keys, Answer::first);
  for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(rows.first()[i], i);
  // Ranges read the directory of rows.
  const Answers all = index.range(Keys{0}, Keys{keys.back() * 2}, Answer::count);
  ASSERT_EQ(all.count()[0], keys.size());
}

TEST_P(EmbreeUpdate, ChangesNothingIfItRunsOutOfMemory) {
  Keys keys(3000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i * 1000;
  Index index = build(keys, "rx:embree,update=refit,bits=8+22+22,threads=1," + GetParam());
  const std::vector<std::uint32_t> rows = {5, 1000, 2000, 2998};
  const Keys new_keys = {7, 77'777, 1'234'567, 2'999'999};
  const long failures =
      fail_every_allocation("refit", {.call = [&] { index.update(rows, new_keys); },
                                      .expect_unchanged = [&] { expect_keys(index, keys); }});
  EXPECT_GT(failures, 5);
  for (std::size_t i = 0; i < rows.size(); ++i) keys[rows[i]] = new_keys[i];
  expect_keys(index, keys);
}

INSTANTIATE_TEST_SUITE_P(Primitives, EmbreeUpdate,
                         testing::Values("primitive=triangle", "primitive=sphere",
                                         "primitive=aabb"),
                         [](const auto& tested) { return tested.param.substr(10); });

}  // namespace
}  // namespace rtindex::test

#endif
