// Every usable index on every column, and on tables that change: queries that depend on order,
// against a sorted list.

#include <gtest/gtest.h>

#include <rtindex/rtindex.hpp>

#include "support/changing_index.hpp"
#include "support/order_oracle.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

using Case = std::tuple<std::string, std::string>;

class EveryOrder : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (std::get<0>(GetParam()).starts_with("hash")) GTEST_SKIP() << "keeps no order";
  }
};

TEST_P(EveryOrder, OfAColumn) {
  const auto& [index_name, workload_name] = GetParam();
  const TestColumn column = some_rows(workload_name, affordable(160, 40));
  for (const std::string& spec : specs_of(index_name)) {
    SCOPED_TRACE(spec);
    Random random(column.size() + 5);
    const Index index = build(column.view(), spec);
    ASSERT_TRUE(keeps_order(index));
    ASSERT_EQ("", order_difference(index, column.keys(), column.shape(), random));
  }
}

TEST_P(EveryOrder, OfATableThatChanges) {
  const auto& [index_name, workload_name] = GetParam();
  Random random(6);
  ChangingIndex changing(some_rows(workload_name, affordable(80, 40)), index_name, {.seed = 90});
  for (std::size_t step = 0; step < affordable(6, 3); ++step) {
    changing.random_change();
    ASSERT_EQ("", order_difference(changing.index(), changing.keys(), changing.shape(), random))
        << "step " << step << "\n"
        << changing.index().describe();
  }
}

INSTANTIATE_TEST_SUITE_P(Conformance, EveryOrder,
                         testing::Combine(testing::ValuesIn(usable_indexes()),
                                          testing::ValuesIn(workload_names())),
                         [](const auto& item) {
                           return test_name(std::get<0>(item.param)) + "_" +
                                  std::get<1>(item.param);
                         });

TEST(Order, IsUnsupportedByHash) {
  const std::vector<std::uint32_t> keys = {3, 1, 2};
  const Index index = build(keys, "hash@cpu");
  EXPECT_FALSE(index.supports(Answer::any, QueryKind::nearest));
  EXPECT_THROW(static_cast<void>(index.nearest(keys)), Error);
  EXPECT_THROW(static_cast<void>(index.rank(keys)), Error);
  EXPECT_THROW(static_cast<void>(index.select(keys)), Error);
  AnswerOptions ordered{.answers = Answer::rows};
  ordered.order = RowOrder::ascending;
  EXPECT_THROW(static_cast<void>(index.lookup(keys, ordered)), Error);
}

}  // namespace
}  // namespace rtindex::test
