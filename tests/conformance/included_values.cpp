// Values that an index keeps in key order answer like the same values passed with the call, and
// move with their rows.

#include <gtest/gtest.h>

#include <rtindex/rtindex.hpp>

#include "support/lookups.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

Index build_including(const TestColumn& column, const std::string& spec, const TestColumn& values) {
  return build(column.view(), spec, {.include = values.view()});
}

std::string check_included(const Index& index, const Batch& batch, const Matches& matches,
                           const AnswerOptions& options, const TestColumn& values) {
  if (!supports(index, options.answers, batch.kind)) return "";
  return check_call(index, batch, matches, options, values, ValuesOf::index);
}

using Case = std::tuple<std::string, std::string>;

class IncludedValues : public testing::TestWithParam<Case> {};

TEST_P(IncludedValues, AnswerLikeAValueColumn) {
  const TestColumn column = workload_named(std::get<1>(GetParam())).column();
  Random random(8);
  const std::vector<Batch> batches = own_batches(column, 15, random);
  std::vector<Matches> matches;
  for (const Batch& batch : batches) matches.push_back(scan(column.keys(), batch));
  for (const Type type : value_types()) {
    const TestColumn values = values_of(type, column.size(), random);
    const Index index = build_including(column, std::get<0>(GetParam()), values);
    EXPECT_EQ(index.included(), type);
    const TestColumn others = values_of(Type::f64, column.size(), random);
    for (std::size_t i = 0; i < batches.size(); ++i) {
      for (const AnswerOptions& options : {full_options(), AnswerOptions{.answers = Answer::sum},
                                           AnswerOptions{.answers = Answer::mean},
                                           AnswerOptions{.answers = Answer::mean | Answer::min},
                                           AnswerOptions{.answers = Answer::min | Answer::max},
                                           AnswerOptions{.answers = Answer::sum | Answer::count,
                                           .miss = {.u64 = 1, .i64 = 2, .f64 = 3}}})
        ASSERT_EQ("", check_included(index, batches[i], matches[i], options, values))
            << name_of(type) << " " << text_of(options);
      // Values that come with the call go first.
      if (supports(index, full_options().answers, batches[i].kind)) {
        ASSERT_EQ("", check_call(index, batches[i], matches[i], full_options(), others));
      }
    }
  }
}

TEST_P(IncludedValues, SkipNulls) {
  const TestColumn column = workload_named(std::get<1>(GetParam())).column();
  Random random(12);
  const std::vector<Batch> batches = own_batches(column, 15, random);
  for (const Type type : value_types()) {
    const TestColumn values = with_null_values(values_of(type, column.size(), random), random);
    const auto make = [&] { return build_including(column, std::get<0>(GetParam()), values); };
    if (Spec(std::get<0>(GetParam())).device() == "cuda" && values.view().nullable()) {
      EXPECT_EQ(error_of([&] { static_cast<void>(make()); }), ErrorKind::unsupported);
      continue;
    }
    const Index index = make();
    const Index copy = index.copy();
    for (const Batch& batch : batches) {
      const Matches matches = scan(column.keys(), batch);
      for (const AnswerOptions& options : every_options()) {
        ASSERT_EQ("", check_included(index, batch, matches, options, values)) << name_of(type);
        ASSERT_EQ("", check_included(copy, batch, matches, options, values)) << name_of(type);
      }
    }
  }
}

TEST_P(IncludedValues, StayWithTheirRowsThroughUpdates) {
  const TestColumn column = workload_named(std::get<1>(GetParam())).column();
  Random random(9);
  for (const Type type : {Type::i32, Type::f64, Type::u64}) {
    const TestColumn values = values_of(type, column.size(), random);
    Index index = build_including(column, std::get<0>(GetParam()), values);
    std::vector<Key> keys = column.keys();
    for (int step = 0; step < 4; ++step) {
      std::vector<std::uint32_t> rows;
      std::vector<Key> changed;
      for (std::size_t row = 0; row < keys.size(); ++row)
        if (random.one_in(4)) {
          rows.push_back(static_cast<std::uint32_t>(row));
          changed.push_back(random.pick(column.keys()));
        }
      index.update(rows, TestColumn(column.shape(), changed).view());
      for (std::size_t i = 0; i < rows.size(); ++i) keys[rows[i]] = changed[i];
      for (const Batch& batch : own_batches(TestColumn(column.shape(), keys), 12, random))
        ASSERT_EQ("", check_included(index, batch, scan(keys, batch), full_options(), values))
            << "step " << step;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Conformance, IncludedValues,
    testing::Combine(testing::ValuesIn(including_specs()),
                     testing::Values("dense_u32", "sparse_u64", "duplicates_x256", "all_equal_u64",
                                     "nulls_dense_u32", "special_f64", "same_head_strings",
                                     "three_wide_ints", "all_null_i8", "empty_u32", "single_u64",
                                     "in_order_dense_u32", "in_order_nulls",
                                     "in_order_null_ends_u32")),
    [](const auto& item) {
      return test_name(std::get<0>(item.param)) + "_" + std::get<1>(item.param);
    });

TEST(IncludedValues, AreRejectedByIndexesWithoutOrder) {
  const TestColumn column = workload_named("dense_u32").column();
  Random random(1);
  const TestColumn values = values_of(Type::i64, column.size(), random);
  for (const std::string& spec : usable_and_bucketed())
    if (!includes_values(spec)) {
      EXPECT_TRUE(error_of([&] { static_cast<void>(build_including(column, spec, values)); }))
          << spec;
    }
}

TEST(IncludedValues, AreRejectedIfInvalid) {
  const std::vector<int> keys = {1, 2, 3};
  const std::vector<int> two = {1, 2};
  const std::vector<std::string> texts = {"a", "b", "c"};
  EXPECT_THROW(static_cast<void>(build(keys, {}, {.include = two})), Error);
  EXPECT_THROW(static_cast<void>(build(keys, {}, {.include = texts})), Error);
}

}  // namespace
}  // namespace rtindex::test
