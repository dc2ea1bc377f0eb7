// Columns of intervals: what is rejected, and what is converted.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/errors.hpp"

namespace rtindex::test {
namespace {

TEST(IntervalErrors, SayWhatToDo) {
  const std::vector<int> starts = {1, 5, 9};
  const std::vector<int> ends = {4, 6, 20};
  const std::vector<long> longs = {4, 6, 20};
  const std::vector<int> before = {4, 4, 20};
  const std::vector<double> reals = {1, 2, 3};
  const std::vector<double> nan = {4, std::nan(""), 20};
  const ColumnView column = ColumnView::intervals(starts, ends, Ends::closed);
  expect_error([&] { static_cast<void>(ColumnView::intervals(starts, reals, Ends::closed)); },
               "start with int32 values and end with float64");
  const std::vector<std::uint64_t> naturals = {4, 6, 20};
  expect_error([&] { static_cast<void>(ColumnView::intervals(starts, naturals, Ends::closed)); },
               "start with int32 values and end with uint64 values");
  expect_error(
      [&] {
        static_cast<void>(ColumnView::intervals(ColumnView(starts).on_device(),
                                                ColumnView(longs).on_device(), Ends::closed));
      },
      "convert one of the columns");
  expect_error(
      [&] {
        static_cast<void>(build(ColumnView::intervals(starts, before, Ends::closed), "sorted@cpu"));
      },
      "the interval in row 1 ends at 4, before it starts at 5");
  expect_error(
      [&] {
        static_cast<void>(build(ColumnView::intervals(reals, nan, Ends::closed), "sorted@cpu"));
      },
      "the end of the interval in row 1 is NaN");
  expect_error([&] { static_cast<void>(build(column, "hash@cpu")); },
               "intervals need an index that keeps its keys in order: use rx, sorted or btree");
  Index index = build(column, "rx:native@cpu");
  expect_error([&] { static_cast<void>(index.lookup(starts)); }, "holds intervals");
  expect_error(
      [&] { static_cast<void>(index.answer(Query::nearest(starts), {.answers = Answer::key})); },
      "intervals have no key to return");
  expect_error(
      [&] {
        static_cast<void>(index.answer(Query::nearest(starts, {.tolerance = std::int64_t{-1}})));
      },
      "invalid tolerance -1");
  expect_error([&] { static_cast<void>(index.answer(Query::covers(starts, {}))); },
               "need both ends: pass upper");
  EXPECT_EQ(index.answer(Query::overlaps(starts, longs), {.answers = Answer::count}).count()[1],
            1U);
  const std::vector<std::string> words = {"a"};
  expect_error([&] { static_cast<void>(index.answer(Query::contains(words))); },
               "cannot be compared");
  expect_error([&] { static_cast<void>(index.answer(Query::contains(column))); },
               "expected keys, got intervals");
  expect_error([&] { index.insert(starts); }, "the index holds intervals, got int32 keys");
  expect_error([&] { index.insert(ColumnView::intervals(starts, ends, Ends::open)); },
               "the index holds intervals [], got intervals ()");
  expect_error([&] { index.insert(ColumnView::intervals(starts, before, Ends::closed)); },
               "row 1 ends at 4, before it starts at 5");
  EXPECT_EQ(index.size(), 3U);
  expect_error([&] { index.erase_keys(column); }, "erased by their rows");
  const Index keys = build(starts, "rx:native@cpu");
  expect_error([&] { static_cast<void>(keys.answer(Query::contains(starts))); },
               "contains queries search intervals");
  const Index by = build(ColumnView::intervals(starts, ends, Ends::closed, {longs}), "sorted@cpu");
  expect_error([&] { static_cast<void>(by.answer(Query::contains(starts))); }, "composite");
  expect_error([&] { static_cast<void>(by.answer(Query::nearest(starts))); }, "composite");
  const std::vector<std::string> low = {"a", "d"};
  const std::vector<std::string> high = {"b", "f"};
  const Index texts = build(ColumnView::intervals(low, high, Ends::closed), "sorted@cpu");
  expect_error(
      [&] {
        static_cast<void>(texts.answer(Query::nearest(low, {.direction = Direction::nearest})));
      },
      "string keys have no distance");
  const std::vector<long> others = {4, 6, 21};
  expect_error(
      [&] {
        static_cast<void>(by.answer(Query::overlaps(ColumnView::composite({longs, starts}),
                                                    ColumnView::composite({others, ends}))));
      },
      "the ends of query 2 have the leading values 20 and 21");
}

template <class Start, class End>
void expect_points_of(Type type) {
  const std::vector<Start> starts = {1, 5, 9};
  const std::vector<End> ends = {4, 6, 20};
  const std::uint8_t validity = 0b011;
  const ColumnView column =
      ColumnView::intervals(ColumnView(starts).with_validity(&validity), ends, Ends::closed);
  EXPECT_EQ(column.parts()[0].type(), type);
  EXPECT_EQ(column.parts()[1].type(), type);
  Index index = build(column, "rx:native@cpu");
  EXPECT_EQ(index.insert(column), 3U);
  EXPECT_EQ(index.insert(ColumnView::intervals(ends, ends, Ends::closed)), 6U);
  const std::vector<Start> lower = {4, 6, 7};
  const std::vector<End> upper = {5, 6, 30};
  const std::vector<std::uint32_t> overlapping = {5, 3, 1};
  EXPECT_EQ(index.answer(Query::overlaps(lower, upper), {.answers = Answer::count}).count(),
            overlapping);
}

// The column owns what it needs of a dictionary, whose view may be a temporary.
TEST(Intervals, OfADictionaryOfAnotherTypeKeepItsNulls) {
  const std::vector<std::int32_t> values = {1, 5};
  const std::vector<std::int8_t> codes = {0, 0, 1};
  const std::uint8_t validity = 0b101;
  const std::vector<std::int64_t> ends = {4, 9, 9};
  const ColumnView column = ColumnView::intervals(
      ColumnView::dictionary(ColumnView(codes).with_validity(&validity), values), ends,
      Ends::closed);
  const Index index = build(column, "rx:native@cpu");
  EXPECT_EQ(index.null_rows(), std::vector<std::uint32_t>{1});
  const std::vector<std::int64_t> keys = {1, 5};
  EXPECT_EQ(index.answer(Query::contains(keys), {.answers = Answer::count}).count(),
            (std::vector<std::uint32_t>{1, 1}));
}

TEST(Intervals, StartsAndEndsMayHaveTwoTypes) {
  expect_points_of<std::int32_t, std::int64_t>(Type::i64);
  expect_points_of<std::int64_t, std::int8_t>(Type::i64);
  expect_points_of<std::uint8_t, std::uint32_t>(Type::u32);
  expect_points_of<std::uint8_t, std::int8_t>(Type::i16);
  expect_points_of<std::uint8_t, std::int32_t>(Type::i32);
  expect_points_of<std::uint16_t, std::int16_t>(Type::i32);
  expect_points_of<std::int8_t, std::uint32_t>(Type::i64);
  expect_points_of<float, double>(Type::f64);
}

}  // namespace
}  // namespace rtindex::test
