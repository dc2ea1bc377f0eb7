// Keys of 128 bits on every index: queries, order, changes and files.

#include <gtest/gtest.h>

#include <rtindex/rtindex.hpp>

#include "support/changing_index.hpp"
#include "support/lookups.hpp"
#include "support/order_oracle.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

using Case = std::tuple<std::string, std::string>;

class Keys128 : public testing::TestWithParam<Case> {
 protected:
  static const std::string& spec() { return std::get<0>(GetParam()); }
  static const std::string& workload() { return std::get<1>(GetParam()); }
};

TEST_P(Keys128, AnswerLikeTheScan) {
  const TestColumn column = workload_named(workload()).column();
  Random random(column.size() + 1);
  const Index built = build(column.view(), spec());
  EXPECT_EQ(built.type(), column.shape().type);
  EXPECT_FALSE(built.describe().empty());
  const Index loaded = deserialize(built.serialize(), {.verify = Verify::full});
  const TestColumn values = values_of(random.pick(value_types()), column.size(), random);
  const Oracle oracle(column.keys());
  for (const Batch& batch : interesting_batches(column, 24, random)) {
    const Matches matches = oracle.scan(batch);
    for (const Index* const index : {&built, &loaded}) {
      if (!supports(*index, full_options().answers, batch.kind)) continue;
      ASSERT_EQ("", check_call(*index, batch, matches, full_options(), values))
          << name_of(batch.kind) << "s of " << text_of(batch.lower.shape());
    }
  }
}

TEST_P(Keys128, KeepTheirOrder) {
  if (spec().starts_with("hash")) GTEST_SKIP() << "keeps no order";
  const TestColumn column = some_rows(workload(), affordable(160, 40));
  Random random(column.size() + 5);
  ASSERT_EQ("",
            order_difference(build(column.view(), spec()), column.keys(), column.shape(), random));
  ChangingIndex changing(some_rows(workload(), affordable(80, 40)), spec(), {.seed = 90});
  for (std::size_t step = 0; step < affordable(6, 3); ++step) {
    changing.random_change();
    ASSERT_EQ("", order_difference(changing.index(), changing.keys(), changing.shape(), random))
        << "step " << step;
  }
}

TEST_P(Keys128, ChangeLikeATable) {
  for (const std::string& more : {std::string(), std::string(",delta=64")}) {
    ChangingIndex changing(some_rows(workload(), 120), spec() + more,
                           {.seed = 70, .include = includes_values(spec())});
    for (int step = 0; step < 10; ++step) {
      changing.random_change();
      ASSERT_EQ("", changing.difference()) << "step " << step;
      changing = changing.over(changing.index().copy());
    }
  }
}

std::vector<std::string> names_128() {
  std::vector<std::string> names;
  for (const Workload& workload : workloads_128()) names.push_back(workload.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Conformance, Keys128,
                         testing::Combine(testing::ValuesIn(usable_and_bucketed()),
                                          testing::ValuesIn(names_128())),
                         [](const auto& item) {
                           return test_name(std::get<0>(item.param)) + "_" +
                                  std::get<1>(item.param);
                         });

// The oracle's integers have fewer bits.
TEST(Keys128Ends, AreFoundByEveryIndex) {
  __extension__ using Uint128 = unsigned __int128;
  const Uint128 top = ~Uint128{0};
  const std::vector<Uint128> keys = {0, 1, top, top - 1, top / 2, top / 2 + 1, Uint128{1} << 64};
  for (const std::string& spec : usable_and_bucketed())
    for (const Type type : {Type::u128, Type::i128, Type::decimal128, Type::binary16}) {
      SCOPED_TRACE(spec + " " + std::string(name_of(type)));
      const ColumnView column = ColumnView::of(type, keys.data(), keys.size());
      const Answers found =
          build(column, spec).lookup(column, {.answers = Answer::first | Answer::count});
      for (std::size_t i = 0; i < keys.size(); ++i) {
        EXPECT_EQ(found.first()[i], i);
        EXPECT_EQ(found.count()[i], 1U);
      }
    }
}

}  // namespace
}  // namespace rtindex::test
