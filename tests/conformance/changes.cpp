// Sequences of inserts, erases, updates, new values and merges: after each the index answers like a
// scan of the table as it is then. tests/conformance/random_runs.cpp draws more of them.

#include <gtest/gtest.h>

#include <algorithm>

#include <rtindex/rtindex.hpp>

#include "support/changing_index.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

using Case = std::tuple<std::string, std::string>;

class Changes : public testing::TestWithParam<Case> {
 protected:
  static TestColumn column(std::size_t rows = 120) {
    return some_rows(std::get<1>(GetParam()), rows);
  }
  static std::vector<std::string> specs() { return delta_specs(std::get<0>(GetParam())); }
};

void expect_right_after(ChangingIndex& changing, int steps) {
  for (int step = 0; step < steps; ++step) {
    ASSERT_NO_THROW(changing.random_change()) << "step " << step;
    ASSERT_EQ("", changing.difference()) << "step " << step << "\n" << changing.index().describe();
  }
}

TEST_P(Changes, InAnyOrder) {
  std::uint64_t seed = 40;
  for (const std::string& spec : specs()) {
    SCOPED_TRACE(spec);
    ChangingIndex changing(column(), spec, {.seed = ++seed});
    expect_right_after(changing, static_cast<int>(affordable(24, 8)));
    if (HasFatalFailure()) return;
  }
}

// Enough rows for several segments beside the first.
TEST_P(Changes, OfALargeTable) {
  const std::string& index = std::get<0>(GetParam());
  ChangingIndex changing(column(1500), index, {.seed = 47, .max_rows = 0});
  expect_right_after(changing, static_cast<int>(affordable(24, 8)));
}

TEST_P(Changes, ToNothingAndBack) {
  const TestColumn original = column();
  for (const std::string& spec : specs()) {
    SCOPED_TRACE(spec);
    ChangingIndex changing(original, spec, {.seed = 48});
    changing.erase(changing.rows_not_erased());
    ASSERT_EQ("", changing.difference());
    EXPECT_EQ(changing.index().valid(), 0U);
    changing.insert(original.keys(), original.shape());
    ASSERT_EQ("", changing.difference());
    changing.erase_keys(original.keys(), original.shape());
    ASSERT_EQ("", changing.difference());
    EXPECT_EQ(changing.index().valid(), 0U);
    changing.merge();
    ASSERT_EQ("", changing.difference());
    for (std::size_t row = 0; row < std::min<std::size_t>(original.size(), affordable(12, 4));
         ++row) {
      changing.insert({original.keys()[row]}, original.shape());
      ASSERT_EQ("", changing.difference());
    }
  }
}

TEST_P(Changes, FromAnEmptyColumn) {
  const TestColumn original = column();
  for (const std::string& spec : specs()) {
    SCOPED_TRACE(spec);
    ChangingIndex changing(TestColumn(original.shape(), {}), spec, {.seed = 49});
    changing.merge();
    changing.erase({});
    changing.erase_keys(original.keys(), original.shape());
    ASSERT_EQ("", changing.difference());
    changing.insert(original.keys(), original.shape());
    ASSERT_EQ("", changing.difference());
    changing.insert({}, original.shape());
    expect_right_after(changing, 4);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Conformance, Changes,
    testing::Combine(testing::ValuesIn(usable_indexes()),
                     testing::Values("dense_u32", "sparse_u64", "nulls_dense_u32", "extremes_i64",
                                     "every_u8", "every_i8", "random_u16", "random_i16", "bools",
                                     "dates", "timestamps", "duplicates_x256", "all_null_u32",
                                     "single_u64", "uniform_f32", "special_f64", "short_strings",
                                     "prefixed_strings", "same_head_strings", "nulls_long_strings",
                                     "fixed_nul_strings", "int_string", "three_wide_ints",
                                     "nulls_in_parts", "one_string_part", "in_order_dense_u32",
                                     "in_order_timestamps", "in_order_duplicates",
                                     "in_order_null_ends_u32", "in_order_same_head_strings")),
    [](const auto& item) {
      return test_name(std::get<0>(item.param)) + "_" + std::get<1>(item.param);
    });

class ChangesOfIncluded : public testing::TestWithParam<Case> {};

TEST_P(ChangesOfIncluded, ValuesFollowTheirRows) {
  const auto& [spec, workload] = GetParam();
  std::uint64_t seed = 50;
  for (const std::string delta : {"", ",delta=64", ",delta=0"})
    for (const std::size_t rows : {std::size_t{120}, std::size_t{1500}}) {
      SCOPED_TRACE(spec + delta);
      ChangingIndex changing(some_rows(workload, rows), spec + delta,
                             {.seed = ++seed, .include = true, .max_rows = rows});
      ASSERT_EQ("", changing.difference());
      expect_right_after(changing, static_cast<int>(affordable(16, 8)));
      if (HasFatalFailure()) return;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Conformance, ChangesOfIncluded,
    testing::Combine(testing::ValuesIn(including_specs()),
                     testing::Values("dense_u32", "sparse_u64", "duplicates_x256",
                                     "nulls_dense_u32", "special_f64", "same_head_strings",
                                     "three_wide_ints", "nulls_in_parts", "all_null_i8",
                                     "empty_u32", "single_u64", "in_order_dense_u32",
                                     "in_order_timestamps", "in_order_null_ends_u32")),
    [](const auto& item) {
      return test_name(std::get<0>(item.param)) + "_" + std::get<1>(item.param);
    });

}  // namespace
}  // namespace rtindex::test
