// What columns of points and box queries reject.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/errors.hpp"

namespace rtindex::test::boxes {
namespace {

constexpr const char* spec = "rx:native@cpu";

TEST(BoxErrors, SayWhatToDo) {
  const std::vector<int> ints = {1, 5, 9};
  const std::vector<long> longs = {4, 6, 20};
  const std::vector<std::string> words = {"a", "b", "c"};
  const std::vector<int> two = {1, 2};
  const ColumnView column = ColumnView::points({ints, longs});
  expect_error([&] { static_cast<void>(ColumnView::points({ints})); }, "2 to 8 columns, got 1");
  expect_error([&] { static_cast<void>(ColumnView::points(std::vector<ColumnView>(9, ints))); },
               "2 to 8 columns, got 9");
  expect_error([&] { static_cast<void>(ColumnView::points({ints, two})); }, "differ in length");
  for (const char* const other : {"sorted@cpu", "btree@cpu", "hash@cpu"})
    expect_error([&] { static_cast<void>(build(column, other)); }, "cannot index points");
  Index index = build(column, spec);
  const auto answer = [&](std::vector<Condition> conditions) {
    static_cast<void>(index.answer(Query::box(std::move(conditions)), {.answers = Answer::count}));
  };
  expect_error([&] { answer({{}, {}, {}}); }, "3 conditions but the points have 2 columns");
  expect_error([&] { answer({Condition::equal(words)}); }, "string values cannot be compared");
  expect_error(
      [&] {
        answer({Condition::equal(ints), Condition::equal(two)});
      },
      "expected conditions of one length");
  expect_error([&] { static_cast<void>(index.lookup(ints)); }, "holds points");
  expect_error([&] { static_cast<void>(index.answer(Query::nearest(ints))); }, "holds points");
  expect_error([&] { static_cast<void>(index.select(ints)); }, "no key to rank them by");
  expect_error(
      [&] {
        static_cast<void>(
            index.answer(Query::box({}), {.answers = Answer::rows, .order = RowOrder::ascending}));
      },
      "points have no key");
  expect_error([&] { index.insert(ints); }, "the index holds points, got int32");
  expect_error(
      [&] {
        index.insert(ColumnView::points({ints, longs, ints}));
      },
      "the points have 3 columns, expected 2");
  expect_error(
      [&] {
        index.insert(ColumnView::points({words, longs}));
      },
      "string values cannot be column 1");
  expect_error([&] { index.erase_keys(column); }, "erased by their rows");
  EXPECT_EQ(index.size(), 3U);
  const Index keys = build(ints, spec);
  expect_error([&] { static_cast<void>(keys.answer(Query::box({}))); },
               "box queries search points");
  expect_error([&] { static_cast<void>(keys.lookup(column)); }, "got points");
}

}  // namespace
}  // namespace rtindex::test::boxes
