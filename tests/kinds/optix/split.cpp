// A column in many acceleration structures answers as in one.

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "kinds/optix/library.hpp"
#include "support/lookups.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/run.hpp"
#include "support/test_column.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

class OptixSplit : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (optix::unusable()) GTEST_SKIP() << *optix::unusable();
  }
};

TEST_P(OptixSplit, AnswersLikeTheScan) {
  Random random(17);
  std::vector<Whole> keys;
  for (int i = 0; i < 500; ++i) keys.push_back(random.between(0, Whole{1} << 9));
  for (int i = 0; i < 500; ++i) keys.push_back(random.between(0, Whole{1} << 40));
  const TestColumn column = integers(Type::u64, keys);
  const TestColumn values = values_of(Type::i32, column.size(), random);
  for (const std::string split : {"1", "7", "999", "1000", "1001"}) {
    const std::string spec = "rx:optix," + GetParam() + ",split=" + split;
    SCOPED_TRACE(spec);
    Index index = build(column.view(), spec);
    EXPECT_EQ(index.spec().option("split", ""), split);
    for (const Batch& batch : own_batches(column, 20, random))
      ASSERT_EQ("", check_call(index, batch, scan(column.keys(), batch), full_options(), values));
  }
}

TEST_P(OptixSplit, RejectsColumnsThatNoStructureHolds) {
  const std::vector<int> keys = {1, 2};
  for (const std::string split : {"0", "-1", "x", "99999999999"})
    EXPECT_THROW(static_cast<void>(build(keys, "rx:optix,split=" + split)), Error) << split;
}

// Eight buckets of two keys on one line: a ray goes from structure to structure until one has a
// hit.
TEST(OptixBuckets, CountARayForEachStructureThatIsTraced) {
  if (optix::unusable()) GTEST_SKIP() << *optix::unusable();
  std::vector<std::uint64_t> keys(16);
  std::iota(keys.begin(), keys.end(), 0);
  const auto rays_for = [&](const std::string& split, std::uint64_t key) {
    const Index index = build(keys, "rx:optix,bucket=2,drop=0,split=" + split);
    Counters counters;
    const std::vector<std::uint64_t> keys_of_query = {key};
    const Answers answers = index.answer(Query::equal(keys_of_query), {.answers = Answer::count},
                                         {.counters = &counters});
    EXPECT_EQ(answers.count()[0], 1U);
    return counters.rays;
  };
  EXPECT_EQ(rays_for("8", 15), 1U);
  EXPECT_EQ(rays_for("2", 2), 1U);
  EXPECT_EQ(rays_for("2", 15), 4U);
  EXPECT_EQ(rays_for("1", 2), 2U);
  EXPECT_EQ(rays_for("1", 15), 8U);
  EXPECT_EQ(rays_for("1", 0), 0U) << "nothing is less than the least key";
}

INSTANTIATE_TEST_SUITE_P(Optix, OptixSplit,
                         testing::Values("primitive=triangle", "primitive=triangle,compact=on",
                                         "primitive=aabb,update=refit",
                                         "primitive=sphere,bits=22+22+20", "bucket=2",
                                         "bucket=3,compact=on,bits=10+10+23", "bucket=2,drop=3"),
                         [](const auto& item) {
                           std::string name;
                           for (const char c : item.param)
                             if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
                           return name;
                         });

}  // namespace
}  // namespace rtindex::test
