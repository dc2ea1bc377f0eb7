// Every usable index, with every setting worth a run, on every column, against the full scan.

#include <gtest/gtest.h>

#include <rtindex/rtindex.hpp>

#include "support/lookups.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

using Case = std::tuple<std::string, std::string>;

class EveryWorkload : public testing::TestWithParam<Case> {};

TEST_P(EveryWorkload, AnswersLikeTheScan) {
  const auto& [index_name, workload_name] = GetParam();
  const TestColumn column = workload_named(workload_name).column();
  Random random(column.size() + 1);
  const std::vector<Batch> batches = interesting_batches(column, 24, random);
  const TestColumn values = values_of(random.pick(value_types()), column.size(), random);
  const std::vector<Matches> matches = Oracle(column.keys()).scan(batches);

  for (const std::string& spec : specs_of(index_name)) {
    SCOPED_TRACE(spec);
    const Index index = build(column.view(), spec);
    EXPECT_EQ(index.size(), column.size());
    EXPECT_EQ(index.type(), column.shape().type);
    for (std::size_t i = 0; i < batches.size(); ++i) {
      if (!supports(index, full_options().answers, batches[i].kind)) continue;
      ASSERT_EQ("", check_call(index, batches[i], matches[i], full_options(), values))
          << name_of(batches[i].kind) << "s of " << text_of(batches[i].lower.shape()) << " and "
          << text_of(batches[i].upper.shape());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Conformance, EveryWorkload,
                         testing::Combine(testing::ValuesIn(usable_indexes()),
                                          testing::ValuesIn(workload_names())),
                         [](const auto& item) {
                           return test_name(std::get<0>(item.param)) + "_" +
                                  std::get<1>(item.param);
                         });

}  // namespace
}  // namespace rtindex::test
