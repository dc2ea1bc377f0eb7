// A change that runs out of memory, wherever it does, leaves the index as it was.

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "out_of_memory/failing_memory.hpp"
#include "support/specs.hpp"
#include "support/test_column.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

using Rows = std::vector<std::uint32_t>;

// An index of a few rows of a workload, and rows to insert.
class ChangesOutOfMemory
    : public testing::TestWithParam<std::tuple<std::string, std::string, bool>> {
 protected:
  void SetUp() override {
    const auto& [spec, workload, has_segments] = GetParam();
    const TestColumn all = workload_named(workload).column();
    first_ = part_of(all, 0, 150);
    few_ = part_of(all, 150, 5);
    many_ = part_of(all, 160, 90);
    includes_ = includes_values(spec);
    if (includes_)
      index_.emplace(
          build(first_.view(), spec, {.include = std::span(values_).first(first_.size())}));
    else
      index_.emplace(build(first_.view(), spec));
    if (!has_segments) return;
    insert(*index_, part_of(all, 250, 8).view());
    index_->erase(Rows{3, 5, 151});
    index_->update(Rows{7, 9}, part_of(all, 260, 2).view());
  }

  void insert(Index& index, const ColumnView& keys) const {
    if (includes_)
      index.insert(keys, ColumnView(std::span(values_).first(keys.size())));
    else
      index.insert(keys);
  }

  // Fails every allocation of the change in turn. Views are made before: composite ones allocate.
  void expect_all_or_nothing(const std::string& name, const std::function<void(Index&)>& change) {
    const std::vector<std::byte> before = index_->serialize();
    const Index unchanged = index_->snapshot();
    Index changed = index_->snapshot();
    change(changed);  // and makes what the searchers keep for later changes
    const long failures = fail_every_allocation(
        name, {.call = [&] { change(*index_); },
               .expect_unchanged = [&] { EXPECT_EQ(index_->serialize(), before); },
               .undo = [&] { *index_ = unchanged.snapshot(); }});
    EXPECT_GT(failures, 3);
    EXPECT_EQ(index_->serialize(), changed.serialize());
  }

  TestColumn first_, few_, many_;
  bool includes_ = false;
  std::vector<std::int32_t> values_ = std::vector<std::int32_t>(200, 11);
  std::optional<Index> index_;
};

TEST_P(ChangesOutOfMemory, InsertOfAFew) {
  const ColumnView keys = few_.view();
  expect_all_or_nothing("insert", [&](Index& index) { insert(index, keys); });
}

TEST_P(ChangesOutOfMemory, InsertOfMany) {
  const ColumnView keys = many_.view();
  expect_all_or_nothing("insert", [&](Index& index) { insert(index, keys); });
}

TEST_P(ChangesOutOfMemory, Erase) {
  const Rows rows = {20, 1, 0};
  expect_all_or_nothing("erase", [&](Index& index) { index.erase(rows); });
}

TEST_P(ChangesOutOfMemory, EraseKeys) {
  const TestColumn two(first_.shape(), {first_.keys()[30], first_.keys()[31]});
  const ColumnView keys = two.view();
  expect_all_or_nothing("erase_keys",
                        [&](Index& index) { static_cast<void>(index.erase_keys(keys)); });
}

TEST_P(ChangesOutOfMemory, Update) {
  const Rows rows = {20, 1, 7, 140, 0};
  const ColumnView keys = few_.view();
  expect_all_or_nothing("update", [&](Index& index) { index.update(rows, keys); });
}

TEST_P(ChangesOutOfMemory, SetIncluded) {
  if (!includes_) GTEST_SKIP() << "includes no values";
  const Rows rows = {20, 1, 7};
  const std::vector<std::int32_t> new_values = {5, 6, 7};
  expect_all_or_nothing("set_included",
                        [&](Index& index) { index.set_included(rows, new_values); });
}

TEST_P(ChangesOutOfMemory, Merge) {
  if (!std::get<2>(GetParam())) index_->erase(Rows{77});
  expect_all_or_nothing("merge", [](Index& index) { index.merge(); });
}

INSTANTIATE_TEST_SUITE_P(OutOfMemory, ChangesOutOfMemory,
                         testing::Combine(testing::ValuesIn(host_specs(",threads=1")),
                                          testing::ValuesIn(failing_columns()), testing::Bool()),
                         [](const auto& item) {
                           return test_name(std::get<0>(item.param)) + "_" +
                                  std::get<1>(item.param) +
                                  (std::get<2>(item.param) ? "_segments" : "");
                         });

}  // namespace
}  // namespace rtindex::test
