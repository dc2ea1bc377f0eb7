// Every call of every index runs out of memory, wherever it can: it throws out_of_memory, the index
// answers as before, and nothing leaks.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "out_of_memory/failing_memory.hpp"
#include "support/calls.hpp"
#include "support/specs.hpp"
#include "support/temporary_folder.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

using Which = FailingMemory::Which;

class CallsOutOfMemory
    : public testing::TestWithParam<std::tuple<std::string, std::string, Which>> {
 protected:
  void SetUp() override {
    spec_ = std::get<0>(GetParam());
    which_ = std::get<2>(GetParam());
    const TestColumn all = workload_named(std::get<1>(GetParam())).column();
    column_ = part_of(all, 0, 120);
    keys_ = column_.view();
    if (includes_values(spec_)) options_.include = std::span(values_).first(column_.size());
  }

  // With a delta, erased rows and rows that have moved.
  [[nodiscard]] Index changed_index() const {
    Index index = build(keys_, spec_, options_);
    const TestColumn more(column_.shape(), {column_.keys().begin(), column_.keys().begin() + 8});
    index.insert(more.view(), !options_.include.empty() ? ColumnView(std::span(values_).first(8))
                                                        : ColumnView());
    index.erase(std::vector<std::uint32_t>{3, 5, 121});
    return index;
  }

  std::string spec_;
  Which which_ = Which::one;
  TestColumn column_;
  ColumnView keys_;
  std::vector<std::int32_t> values_ = std::vector<std::int32_t>(200, 11);
  BuildOptions options_;
};

TEST_P(CallsOutOfMemory, Build) {
  const Spec spec(spec_);
  std::optional<Index> index(build(keys_, spec, options_));
  const std::vector<std::byte> whole = index->serialize();
  index.reset();
  const auto build_again = [&] { index.emplace(build(keys_, spec, options_)); };
  const long failures = fail_every_allocation("build", {.call = build_again, .which = which_});
  EXPECT_GT(failures, 10);
  ASSERT_TRUE(index);
  EXPECT_EQ(index->serialize(), whole);
}

TEST_P(CallsOutOfMemory, EveryCall) {
  const Index index = changed_index();
  const std::vector<std::byte> before = index.serialize();
  for (const Call& call : every_call(index, column_)) {
    call.make(index);
    const Digest digest = call.digest();
    fail_every_allocation(call.name, {.call = [&] { call.make(index); }, .which = which_});
    if (HasFailure()) return;
    EXPECT_EQ(call.digest(), digest) << call.name;
    EXPECT_EQ(index.serialize(), before) << call.name;
  }
}

TEST_P(CallsOutOfMemory, SaveAndLoad) {
  const TemporaryFolder folder(TemporaryFolder::Medium::memory);
  const std::filesystem::path path = folder.file("a.rtindex");
  const LoadOptions full{.verify = Verify::full};
  build(keys_, spec_, options_).save(path);
  const std::vector<std::byte> old = load(path).serialize();
  const Index index = changed_index();
  fail_every_allocation("save", {.call = [&] { index.save(path); },
                                 .expect_unchanged =
                                     [&] {
                                       EXPECT_EQ(load(path, full).serialize(), old);
                                       EXPECT_EQ(folder.count_files(), 1U);
                                     },
                                 .which = which_});
  if (HasFailure()) return;
  EXPECT_EQ(folder.count_files(), 1U);
  for (const Verify verify : {Verify::quick, Verify::full}) {
    std::optional<Index> loaded;
    const auto load_again = [&] { loaded.emplace(load(path, {.verify = verify})); };
    fail_every_allocation("load", {.call = load_again, .which = which_});
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->serialize(), index.serialize());
  }
}

std::string name_of_case(const testing::TestParamInfo<CallsOutOfMemory::ParamType>& item) {
  return test_name(std::get<0>(item.param)) + "_" + std::get<1>(item.param);
}

INSTANTIATE_TEST_SUITE_P(OneAllocation, CallsOutOfMemory,
                         testing::Combine(testing::ValuesIn(host_specs(",threads=1")),
                                          testing::ValuesIn(failing_columns()),
                                          testing::Values(Which::one)),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(AllLaterOnes, CallsOutOfMemory,
                         testing::Combine(testing::ValuesIn(host_specs(",threads=1")),
                                          testing::Values("nulls_same_head_strings"),
                                          testing::Values(Which::all_later)),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(OfThreads, CallsOutOfMemory,
                         testing::Combine(testing::ValuesIn(host_specs(",threads=2")),
                                          testing::Values("nulls_in_parts"),
                                          testing::Values(Which::one_of_threads)),
                         name_of_case);

}  // namespace
}  // namespace rtindex::test
