// Snapshots stay as they are while the index that they were taken of moves on, and the other way
// round.

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <optional>

#include <rtindex/rtindex.hpp>

#include "support/changing_index.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

using Case = std::tuple<std::string, std::string>;

class Snapshots : public testing::TestWithParam<Case> {
 protected:
  static TestColumn column() { return some_rows(std::get<1>(GetParam()), 300); }
  // With an update in place where the index has one.
  static std::vector<std::string> specs() {
    const std::string& index = std::get<0>(GetParam());
    std::vector<std::string> specs = {index, index + ",delta=64"};
    if (index == "rx:embree@cpu" || index == "rx:optix@cuda")
      specs.push_back(index + ",update=refit");
    return specs;
  }
};

TEST_P(Snapshots, AreUnaffectedByChanges) {
  for (const std::string& spec : specs()) {
    SCOPED_TRACE(spec);
    ChangingIndex changing(column(), spec, {.seed = 60, .include = includes_values(spec)});
    Random random(61);
    std::deque<ChangingIndex> snapshots;
    for (std::size_t step = 0; step < affordable(20, 10); ++step) {
      if (random.one_in(3)) snapshots.push_back(changing.snapshot());
      changing.random_change();
      ASSERT_EQ("", changing.difference()) << "step " << step;
      if (snapshots.size() > 4) {
        ASSERT_EQ("", snapshots.front().difference()) << "step " << step;
        snapshots.pop_front();
      }
    }
    for (ChangingIndex& snapshot : snapshots) ASSERT_EQ("", snapshot.difference());
  }
}

TEST_P(Snapshots, ChangeIndependently) {
  for (const std::string& spec : specs()) {
    SCOPED_TRACE(spec);
    ChangingIndex changing(column(), spec, {.seed = 62, .include = includes_values(spec)});
    changing.random_change();
    ChangingIndex snapshot = changing.snapshot();
    ChangingIndex of_snapshot = snapshot.snapshot();
    for (int step = 0; step < 6; ++step) {
      snapshot.random_change();
      ASSERT_EQ("", snapshot.difference()) << "step " << step;
    }
    ASSERT_EQ("", changing.difference());
    changing.random_change();
    ASSERT_EQ("", changing.difference());
    ASSERT_EQ("", snapshot.difference());
    ASSERT_EQ("", of_snapshot.difference());
  }
}

// A change that changes nothing makes a new version of the same structure, which a snapshot still
// shares: an update in place must see that.
TEST_P(Snapshots, AreNotUpdatedInPlace) {
  const TestColumn original = column();
  if (original.size() < 2) GTEST_SKIP() << "too few rows";
  const std::vector<Key> swapped = {original.keys()[1], original.keys()[0]};
  const std::vector<std::function<void(ChangingIndex&)>> idle = {
      [](ChangingIndex&) {}, [](ChangingIndex& changing) { changing.merge(); },
      [](ChangingIndex& changing) { changing.insert({}, changing.shape()); },
      [](ChangingIndex& changing) { changing.erase_keys({}, changing.shape()); }};
  for (const std::string& spec : specs())
    for (const auto& change : idle) {
      SCOPED_TRACE(spec);
      ChangingIndex changing(original, spec, {.seed = 63});
      ChangingIndex snapshot = changing.snapshot();
      change(changing);
      changing.update({0, 1}, swapped, original.shape());
      ASSERT_EQ("", changing.difference());
      ASSERT_EQ("", snapshot.difference());
    }
}

TEST_P(Snapshots, OutliveTheIndex) {
  for (const std::string& spec : specs()) {
    SCOPED_TRACE(spec);
    std::optional<ChangingIndex> changing(
        std::in_place, column(), spec,
        ChangingIndex::Options{.seed = 64, .include = includes_values(spec)});
    for (int step = 0; step < 3; ++step) changing->random_change();
    ChangingIndex snapshot = changing->snapshot();
    changing.reset();
    ASSERT_EQ("", snapshot.difference());
    snapshot.random_change();
    ASSERT_EQ("", snapshot.difference());
  }
}

TEST_P(Snapshots, KeepSpecTypesAndMetadata) {
  const auto& [spec, workload] = GetParam();
  Index index = build(column().view(), spec);
  index.set_metadata("table", "trades");
  const Index snapshot = index.snapshot();
  index.set_metadata("table", "quotes");
  EXPECT_EQ(snapshot.spec(), index.spec());
  EXPECT_EQ(snapshot.type(), index.type());
  EXPECT_EQ(snapshot.part_types(), index.part_types());
  EXPECT_EQ(snapshot.metadata().at("table"), "trades");
  EXPECT_EQ(snapshot.describe(), index.describe());
}

INSTANTIATE_TEST_SUITE_P(Conformance, Snapshots,
                         testing::Combine(testing::ValuesIn(usable_and_bucketed()),
                                          testing::Values("sparse_u64", "nulls_dense_u32",
                                                          "special_f64", "nulls_same_head_strings",
                                                          "int_string", "empty_u32")),
                         [](const auto& item) {
                           return test_name(std::get<0>(item.param)) + "_" +
                                  std::get<1>(item.param);
                         });

}  // namespace
}  // namespace rtindex::test
