// Every answer, alone and with others, with every value type, into results and into buffers.

#include <gtest/gtest.h>

#include <optional>

#include <rtindex/rtindex.hpp>

#include "support/lookups.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

struct Scene {
  explicit Scene(const std::string& workload) : column(workload_named(workload).column()) {
    Random random(column.size());
    batches = own_batches(column, 30, random);
    batches.push_back({QueryKind::equal, TestColumn(column.shape(), {}),
                       TestColumn(column.shape(), {})});  // no lookups at all
    // Around the size of a block of lookups, and over several blocks.
    for (const std::size_t size : {1, 255, 256, 257, 1001}) {
      std::vector<Key> keys;
      for (std::size_t i = 0; i < size; ++i) keys.push_back(random.pick(batches[0].lower.keys()));
      batches.push_back(points({column.shape(), keys}));
    }
    matches = Oracle(column.keys()).scan(batches);
  }

  TestColumn column;
  std::vector<Batch> batches;
  std::vector<Matches> matches;
};

using Case = std::tuple<std::string, std::string>;

class EveryAnswer : public testing::TestWithParam<Case> {};

TEST_P(EveryAnswer, AloneAndTogether) {
  const Scene scene(std::get<1>(GetParam()));
  const Index index = build(scene.column.view(), std::get<0>(GetParam()));
  Random random(5);
  for (std::size_t i = 0; i < scene.batches.size(); ++i)
    for (const AnswerOptions& options : every_options()) {
      if (!supports(index, options.answers, scene.batches[i].kind)) continue;
      TestColumn values = values_of(random.pick(value_types()), scene.column.size(), random);
      if (random.one_in(2)) values = with_null_values(values, random);
      ASSERT_EQ("", check_call(index, scene.batches[i], scene.matches[i], options, values));
      ASSERT_EQ("", check_call_into(index, scene.batches[i], scene.matches[i], options, values));
    }
}

TEST_P(EveryAnswer, OfEveryValueType) {
  const Scene scene(std::get<1>(GetParam()));
  const Index index = build(scene.column.view(), std::get<0>(GetParam()));
  Random random(6);
  for (const Type type : value_types()) {
    const TestColumn values = values_of(type, scene.column.size(), random);
    for (std::size_t i = 0; i < 2; ++i)
      for (const Answer answer : {Answer::sum, Answer::mean, Answer::min, Answer::max}) {
        if (!index.supports(answer, scene.batches[i].kind)) continue;
        const AnswerOptions options{.answers = answer, .miss = {.u64 = 3, .i64 = 4, .f64 = -1}};
        ASSERT_EQ("", check_call(index, scene.batches[i], scene.matches[i], options, values));
      }
  }
}

// A hash table answers points alone, every other index answers everything. What is not supported is
// rejected as such, and sum, min and max without values are rejected by all.
TEST_P(EveryAnswer, IsReturnedOrRejectedAsDocumented) {
  const auto& [spec, workload] = GetParam();
  const Scene scene(workload);
  const Index index = build(scene.column.view(), spec);
  Random random(7);
  const TestColumn values = values_of(Type::u64, scene.column.size(), random);
  for (std::size_t i = 0; i < 2; ++i)
    for (AnswerOptions options : every_options()) {
      const Batch& batch = scene.batches[i];
      const auto call = [&] {
        if (batch.kind == QueryKind::equal)
          static_cast<void>(index.lookup(batch.lower.view(), options));
        else
          static_cast<void>(index.range(batch.lower.view(), batch.upper.view(), options));
      };
      const bool supported = (batch.kind == QueryKind::equal || !spec.starts_with("hash")) &&
                             !options.answers.has(Answer::key);
      EXPECT_EQ(supports(index, options.answers, batch.kind), supported) << text_of(options);
      options.values = values.view();
      EXPECT_EQ(error_of(call), supported ? std::nullopt : std::optional(ErrorKind::unsupported))
          << text_of(options);
      options.values = {};
      if (options.answers.has_any_of(Answer::sum | Answer::min | Answer::max |
                                     AnswerSet(Answer::mean)) &&
          scene.column.size() != 0) {
        EXPECT_EQ(error_of(call), ErrorKind::invalid_argument) << text_of(options);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Conformance, EveryAnswer,
    testing::Combine(testing::ValuesIn(usable_indexes()),
                     testing::Values("dense_u32", "duplicates_x256", "extremes_i64",
                                     "nulls_sparse_u64", "special_f32", "same_head_strings",
                                     "int_string", "empty_u32", "all_null_i8", "single_u64",
                                     "in_order_dense_u32", "in_order_timestamps")),
    [](const auto& item) {
      return test_name(std::get<0>(item.param)) + "_" + std::get<1>(item.param);
    });

}  // namespace
}  // namespace rtindex::test
