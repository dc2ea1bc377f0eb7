// An index prints its full spec, and that spec builds the same index.

#include <gtest/gtest.h>

#include <rtindex/rtindex.hpp>

#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

std::vector<std::string> round_trip_specs() {
  std::vector<std::string> list = {"auto", "auto,threads=2", "rx"};
  for (const std::string& index : usable_indexes())
    for (const std::string& spec : specs_of(index)) list.push_back(spec);
  for (const std::string options :
       {"mode=naive", "mode=extended", "mode=extended,point=zero", "mode=naive,primitive=sphere",
        "bits=10+10+10", "scale=2^-7", "compact=on,update=refit", "row_rays=all", "threads=1"})
    list.push_back("rx:embree," + options);
  return list;
}

class SpecRoundTrip : public testing::TestWithParam<std::string> {};

TEST_P(SpecRoundTrip, BuildsTheSameIndex) {
  const TestColumn column = workload_named("dense_u32").column();
  const bool needs_embree = GetParam().starts_with("rx:embree");
  if (needs_embree && !is_available("rx:embree")) GTEST_SKIP() << "Embree is not available here";
  const Index index = build(column.view(), GetParam());
  const Spec full = index.spec();
  const Spec parsed(full.text());
  EXPECT_EQ(parsed, full);
  EXPECT_EQ(parsed.text(), full.text());
  EXPECT_NE(full.kind(), "auto");
  EXPECT_FALSE(full.device().empty());
  const Index again = build(column.view(), full);
  EXPECT_EQ(again.spec(), full);
  EXPECT_EQ(again.memory_usage().resident, index.memory_usage().resident);
  EXPECT_NE(index.describe().find(full.text()), std::string::npos);
  // The full spec keeps what the short one set, except for compaction, which refit switches off.
  const Spec requested(GetParam());
  for (const auto& [name, value] : requested.options())
    if (name != "compact") {
      EXPECT_EQ(full.option(name, "missing"), value);
    }
}

INSTANTIATE_TEST_SUITE_P(Conformance, SpecRoundTrip, testing::ValuesIn(round_trip_specs()),
                         [](const auto& item) { return test_name(item.param); });

TEST(SpecRoundTrip, OfTheDefault) {
  EXPECT_EQ(build(std::vector<int>{1, 2, 3}).spec(), default_spec());
  EXPECT_EQ(Spec(default_spec().text()), default_spec());
}

}  // namespace
}  // namespace rtindex::test
