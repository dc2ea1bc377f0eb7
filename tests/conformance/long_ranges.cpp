// Ranges and duplicates so long that many threads share one lookup, alone and among short ones.

#include <gtest/gtest.h>

#include <algorithm>

#include <rtindex/rtindex.hpp>

#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

constexpr Whole row_count = 140'000;
constexpr Whole copied = 50'000;  // the key that 70,000 rows have

// Every other row has a key of its own, in no order; the others share one.
TestColumn half_equal(Random& random) {
  std::vector<Whole> keys;
  keys.reserve(static_cast<std::size_t>(row_count));
  for (Whole row = 0; row < row_count; ++row) keys.push_back(row % 2 == 0 ? copied : row);
  for (std::size_t i = keys.size() - 1; i > 0; --i) std::swap(keys[i], keys[random.below(i + 1)]);
  return integers(Type::u32, keys);
}

Batch ranges_of(const std::vector<std::pair<Whole, Whole>>& ends) {
  std::vector<Whole> lower;
  std::vector<Whole> upper;
  for (const auto& [low, high] : ends) {
    lower.push_back(low);
    upper.push_back(high);
  }
  return ranges(integers(Type::u32, lower), integers(Type::u32, upper));
}

std::vector<Batch> batches_of(Random& random) {
  std::vector<std::pair<Whole, Whole>> mixed = {
      {0, row_count},      {row_count, 0}, {copied, copied}, {1, 40'000}, {49'999, 50'001},
      {60'000, row_count}, {0, 0},         {1, 1},           {3, 2'100},  {5, 70},
      {5, 4'000'000}};
  for (int i = 0; i < 50; ++i) {
    const Whole low = random.below(static_cast<std::uint64_t>(row_count));
    mixed.emplace_back(low, low + static_cast<Whole>(random.below(100)));
  }
  return {ranges_of({{0, row_count}}), ranges_of({{7, 30'000}}), ranges_of(mixed),
          points(integers(Type::u32, std::vector<Whole>{copied, 3, 4}))};
}

class LongRanges : public testing::TestWithParam<std::string> {};

TEST_P(LongRanges, AnswerLikeTheScan) {
  Random random(11);
  const TestColumn column = half_equal(random);
  const std::vector<Batch> batches = batches_of(random);
  const std::vector<Matches> matches = Oracle(column.keys()).scan(batches);
  for (const Type type : {Type::u32, Type::i64, Type::f64}) {
    const TestColumn values = values_of(type, column.size(), random);
    const Index index = build(column.view(), GetParam());
    for (std::size_t i = 0; i < batches.size(); ++i) {
      if (!supports(index, full_options().answers, batches[i].kind)) continue;
      for (const AnswerOptions& options :
           {full_options(), AnswerOptions{.answers = Answer::sum},
            AnswerOptions{.answers = Answer::max | Answer::first | Answer::rows, .limit = 5}})
        ASSERT_EQ("", check_call(index, batches[i], matches[i], options, values))
            << name_of(type) << ", batch " << i << ", " << text_of(options);
    }
  }
}

// Floats are added up in an order that depends on nothing but the index and the lookups.
TEST_P(LongRanges, AddFloatsUpAlike) {
  Random random(12);
  const TestColumn column = half_equal(random);
  std::vector<double> values(column.size());
  for (double& value : values) value = static_cast<double>(random.below(1 << 30)) * 1e-9;
  const Index index = build(column.view(), GetParam());
  const Batch batch = batches_of(random)[2];
  const AnswerOptions options{.answers = Answer::sum, .values = values, .miss = {.f64 = 0}};
  if (!supports(index, options.answers, batch.kind)) GTEST_SKIP() << "points only";
  const auto once = [&] {
    return index.range(batch.lower.view(), batch.upper.view(), options).sum();
  };
  const Aggregates first = once();
  for (int i = 0; i < 5; ++i) ASSERT_EQ(once(), first);
}

std::vector<std::string> long_range_specs() {
  std::vector<std::string> specs = usable_and_bucketed();
  for (const std::string& index : usable_indexes())
    if (index == "rx:native@cuda" || index == "sorted@cuda") specs.push_back(index + ",gather=off");
  return specs;
}

INSTANTIATE_TEST_SUITE_P(Conformance, LongRanges, testing::ValuesIn(long_range_specs()),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
