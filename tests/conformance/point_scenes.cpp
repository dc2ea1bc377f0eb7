// Points of two and three columns in every scene of rays: all answers of box queries equal those of
// rx:native on the CPU, which tests/index/boxes.cpp compares with a scan.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/checker.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/specs.hpp"
#include "support/test_column.hpp"

namespace rtindex::test {
namespace {

class PointScenes : public testing::TestWithParam<std::string> {};

// Makes the values of a column.
struct AxisValues {
  std::string name;
  Shape shape;
  std::function<Part(Random&)> make;
};

const std::vector<AxisValues>& every_axis() {
  static const std::vector<AxisValues> all = {
      {"constant", {Type::u8}, [](Random&) -> Part { return Whole{3}; }},
      {"few", {Type::i16}, [](Random& random) -> Part { return random.between(-3, 3); }},
      {"int32", {Type::i32}, [](Random& random) -> Part { return random.between(-500, 500); }},
      {"uint64",
       {Type::u64},
       [](Random& random) -> Part { return random.between(0, largest_of(Type::u64)); }},
      {"skewed",
       {Type::i64},
       [](Random& random) -> Part { return Whole{1} << random.below(random.one_in(2) ? 3 : 60); }},
      {"nullable double",
       {Type::f64},
       [](Random& random) -> Part {
         return random.one_in(5) ? Part(std::monostate{}) : Part(random.real(-9, 9));
       }},
      {"nullable string", {Type::string}, [](Random& random) -> Part {
         if (random.one_in(5)) return std::monostate{};
         return std::string(30, 'q') + static_cast<char>('a' + random.below(9));
       }}};
  return all;
}

using Axes = std::vector<AxisValues>;

std::vector<TestColumn> random_points(const Axes& axes, std::size_t rows, Random& random) {
  std::vector<TestColumn> columns;
  for (const AxisValues& axis : axes) {
    std::vector<Key> keys;
    for (std::size_t i = 0; i < rows; ++i) keys.push_back({axis.make(random)});
    columns.emplace_back(axis.shape, std::move(keys));
  }
  return columns;
}

ColumnView view_of(const std::vector<TestColumn>& columns) {
  std::vector<ColumnView> views;
  for (const TestColumn& column : columns) views.push_back(column.view());
  return ColumnView::points(std::move(views));
}

// Two values of each box, ordered.
struct TestBoxes {
  std::vector<TestColumn> lower, upper;
  std::vector<Condition> conditions;
};

TestBoxes random_boxes(const Axes& axes, std::size_t size, Random& random) {
  TestBoxes boxes;
  boxes.lower = random_points(axes, size, random);
  boxes.upper = random_points(axes, size, random);
  for (std::size_t c = 0; c < axes.size(); ++c) {
    const auto is_null = [](const Key& key) {
      return std::holds_alternative<std::monostate>(key.front());
    };
    std::vector<Key> low = boxes.lower[c].keys();
    std::vector<Key> high = boxes.upper[c].keys();
    for (std::size_t i = 0; i < size; ++i)
      if (!is_null(low[i]) && !is_null(high[i]) && compare(low[i].front(), high[i].front()) > 0)
        std::swap(low[i], high[i]);
    boxes.lower[c] = TestColumn(axes[c].shape, low);
    boxes.upper[c] = TestColumn(axes[c].shape, high);
  }
  for (std::size_t c = 0; c < axes.size(); ++c) {
    const std::size_t kind = c == 0 ? 0 : random.below(6);
    const ColumnView low = boxes.lower[c].view();
    const ColumnView high = boxes.upper[c].view();
    if (kind <= 2)
      boxes.conditions.push_back(
          {ConditionKind::range, low, high, random.one_in(2) ? Ends::closed : Ends::right_open});
    else if (kind == 3)
      boxes.conditions.push_back({ConditionKind::isin, low, {}, Ends::closed});
    else
      boxes.conditions.push_back(
          {kind == 4 ? ConditionKind::is_null : ConditionKind::none, {}, {}, Ends::closed});
  }
  return boxes;
}

std::vector<std::uint32_t> sorted_rows(const Answers& answers, std::size_t i) {
  const auto offsets = answers.offsets();
  std::vector<std::uint32_t> rows(
      answers.rows().begin() + static_cast<std::ptrdiff_t>(offsets[i]),
      answers.rows().begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]));
  std::sort(rows.begin(), rows.end());
  return rows;
}

template <class Some>
std::vector<std::uint32_t> listed(const Some& some) {
  return {some.begin(), some.end()};
}

void expect_equal(const Index& index, const Index& native, const Axes& axes, std::size_t size,
                  Random& random) {
  const TestBoxes boxes = random_boxes(axes, size, random);
  const Query query = Query::box(boxes.conditions);
  std::vector<std::int64_t> values(index.size());
  for (std::int64_t& value : values) value = static_cast<std::int64_t>(random.below(1000)) - 500;
  AnswerOptions options{.answers = Answer::any | Answer::first | Answer::last | Answer::count |
                                   Answer::sum | Answer::min | Answer::max | Answer::mean |
                                   Answer::rows | Answer::bitmap | Answer::bitmaps,
                        .values = values,
                        .matched = true};
  const Answers found = index.answer(query, options);
  const Answers expected = native.answer(query, options);
  ASSERT_EQ(listed(found.first()), listed(expected.first()));
  ASSERT_EQ(listed(found.last()), listed(expected.last()));
  ASSERT_EQ(listed(found.count()), listed(expected.count()));
  const PlainAnswers plain = plain_answers(found, options);
  const PlainAnswers plain_expected = plain_answers(expected, options);
  ASSERT_EQ(plain.sum, plain_expected.sum);
  ASSERT_EQ(plain.min, plain_expected.min);
  ASSERT_EQ(plain.max, plain_expected.max);
  ASSERT_EQ(plain.matched, plain_expected.matched);
  ASSERT_EQ(plain.bitmap, plain_expected.bitmap);
  ASSERT_EQ(plain.bitmaps, plain_expected.bitmaps);
  for (std::size_t i = 0; i < size; ++i) {
    const std::vector<std::uint32_t> rows = sorted_rows(found, i);
    ASSERT_EQ(rows, sorted_rows(expected, i));
    const std::uint32_t any = found.any()[i];
    ASSERT_TRUE(rows.empty() ? any == miss_row : std::binary_search(rows.begin(), rows.end(), any));
  }
  ASSERT_EQ(listed(index.answer(query, {.answers = Answer::count}).count()),
            listed(expected.count()));
  const Answers few = index.answer(query, {.answers = Answer::rows, .limit = 2});
  for (std::size_t i = 0; i < size; ++i) {
    const std::vector<std::uint32_t> all = sorted_rows(expected, i);
    const std::vector<std::uint32_t> some = sorted_rows(few, i);
    ASSERT_EQ(some.size(), std::min<std::size_t>(all.size(), 2));
    ASSERT_TRUE(std::includes(all.begin(), all.end(), some.begin(), some.end()));
  }
}

TEST_P(PointScenes, AnswerLikeRxNative) {
  Random random(41);
  for (std::size_t columns = 2; columns <= 3; ++columns)
    for (int turn = 0; turn < 10; ++turn) {
      Axes axes;
      std::string name;
      for (std::size_t c = 0; c < columns; ++c) {
        axes.push_back(random.pick(every_axis()));
        name += axes.back().name + ", ";
      }
      SCOPED_TRACE(name);
      const std::vector<TestColumn> points = random_points(axes, random.below(1500), random);
      const Index index = build(view_of(points), GetParam());
      const Index native = build(view_of(points), "rx:native@cpu");
      for (const std::size_t size : {1, 1, 20, 300})
        ASSERT_NO_FATAL_FAILURE(expect_equal(index, native, axes, size, random));
    }
}

TEST_P(PointScenes, FindEachRowOnceAmongMany) {
  Random random(42);
  const Axes axes = {every_axis()[2], every_axis()[3], every_axis()[4]};
  for (const std::size_t size : {0, 1, 40000}) {
    SCOPED_TRACE(size);
    const std::vector<TestColumn> points = random_points(axes, size, random);
    const Index index = build(view_of(points), GetParam());
    const Index native = build(view_of(points), "rx:native@cpu");
    ASSERT_NO_FATAL_FAILURE(expect_equal(index, native, axes, 30, random));
  }
}

TEST_P(PointScenes, ChangeLikeRxNative) {
  Random random(43);
  const Axes axes = {every_axis()[2], every_axis()[5], every_axis()[6]};
  const std::vector<TestColumn> points = random_points(axes, 300, random);
  Index index = build(view_of(points), GetParam() + ",delta=60");
  Index native = build(view_of(points), "rx:native@cpu");
  for (std::uint32_t round = 0; round < 5; ++round) {
    const std::vector<TestColumn> added = random_points(axes, 25, random);
    const std::vector<TestColumn> moved = random_points(axes, 3, random);
    const std::vector<std::uint32_t> erased = {round * 10, round * 10 + 1};
    const std::vector<std::uint32_t> updated = {round * 10 + 3, round * 10 + 5, round * 10 + 302};
    for (Index* const one : {&index, &native}) {
      one->insert(view_of(added));
      one->erase(erased);
      one->update(updated, view_of(moved));
      if (round == 2) one->merge();
    }
    const Index copy = deserialize(index.serialize());
    ASSERT_NO_FATAL_FAILURE(expect_equal(index.snapshot(), native, axes, 20, random));
    ASSERT_NO_FATAL_FAILURE(expect_equal(copy, native, axes, 20, random));
  }
}

TEST_P(PointScenes, CountTheirRays) {
  std::vector<std::uint32_t> ascending(4096), descending(4096);
  for (std::uint32_t i = 0; i < 4096; ++i) {
    ascending[i] = i;
    descending[i] = 4095 - i;
  }
  const Index index = build(ColumnView::points({ascending, descending}), GetParam());
  const std::vector<std::uint32_t> low = {1000}, high = {1063}, all_low = {0}, all_high = {4095};
  Counters counters;
  const Answers found =
      index.answer(Query::box({{ConditionKind::range, low, high, Ends::closed},
                               {ConditionKind::range, all_low, all_high, Ends::closed}}),
                   {.answers = Answer::count}, {.counters = &counters});
  EXPECT_EQ(found.count()[0], 64U);
  // One for each cell of the longer side, 32 of 128 rows each, in each structure.
  EXPECT_GE(counters.rays, 32U);
  EXPECT_EQ(counters.rays % 32, 0U);
  EXPECT_GE(counters.hits, 64U);
  EXPECT_GE(counters.tested, counters.hits);
}

TEST_P(PointScenes, RejectFourColumns) {
  const std::vector<int> values = {1, 2, 3};
  expect_error(
      [&] {
        static_cast<void>(build(ColumnView::points({values, values, values, values}), GetParam()));
      },
      "indexes points of 2 or 3 columns, got 4: use rx:native");
}

std::vector<std::string> scenes_of_points() {
  std::vector<std::string> specs;
  for (const std::string spec :
       {"rx:embree@cpu", "rx:embree@cpu,update=refit", "rx:optix@cuda", "rx:optix@cuda,split=1000"})
    if (is_available(spec)) specs.push_back(spec);
  return specs;
}

INSTANTIATE_TEST_SUITE_P(EveryScene, PointScenes, testing::ValuesIn(scenes_of_points()),
                         [](const auto& scene) { return test_name(scene.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PointScenes);

}  // namespace
}  // namespace rtindex::test
