// Questions that make no sense for a column, and buffers and changes that do not fit it, are
// refused.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/run.hpp"

namespace rtindex::test {
namespace {

void expect_invalid(const char* what, const std::function<void()>& call) {
  EXPECT_EQ(error_of(call), ErrorKind::invalid_argument) << what;
}

TEST(OrderErrors, QuestionsThatMakeNoSense) {
  const std::vector<std::string> names = {"a", "b"};
  const std::vector<int> numbers = {1, 2};
  const std::vector<double> reals = {0.5};
  const Index of_names = build(names, "sorted@cpu");
  Index of_numbers = build(numbers, "sorted@cpu");
  expect_invalid("the closer of two strings", [&] {
    static_cast<void>(of_names.nearest(names, {.direction = Direction::nearest}));
  });
  expect_invalid("strings within a tolerance", [&] {
    static_cast<void>(of_names.nearest(names, {.tolerance = std::int64_t{1}}));
  });
  expect_invalid("integers within half a number",
                 [&] { static_cast<void>(of_numbers.nearest(numbers, {.tolerance = 0.5})); });
  expect_invalid("ranks that are not integers",
                 [&] { static_cast<void>(of_numbers.select(reals)); });
  expect_invalid("prefixes of numbers", [&] { static_cast<void>(of_numbers.starts_with(names)); });
  std::vector<std::uint32_t> rows(2);
  expect_invalid("rows without offsets",
                 [&] { of_numbers.lookup_into(numbers, {}, {.rows = rows.data()}); });
  expect_invalid("parts without a pair", [&] {
    of_numbers.join_in_parts(numbers, JoinKind::inner, 0, [](const JoinedRows&) {});
  });
  expect_invalid("parts for nobody",
                 [&] { of_numbers.join_in_parts(numbers, JoinKind::inner, 5, TakeJoined()); });
}

TEST(BufferErrors, BuffersThatCannotTakeTheAnswers) {
  const std::vector<std::string> names = {"a", "b"};
  const std::vector<int> numbers = {1, 1, 1};
  const Index of_names = build(names, "sorted@cpu");
  const Index of_numbers = build(numbers, "sorted@cpu");
  std::vector<std::uint64_t> words(4);
  std::vector<std::uint32_t> rows(8, 77);
  expect_invalid("strings in a buffer",
                 [&] { of_names.nearest_into(names, {}, {}, {.key = words.data()}); });
  expect_invalid("buffers of a GPU", [&] {
    of_numbers.lookup_into(numbers, {}, {.any = rows.data(), .memory_space = MemorySpace::device});
  });
  expect_invalid("too few rows", [&] {
    of_numbers.lookup_into(numbers, {},
                           {.offsets = words.data(), .rows = rows.data(), .rows_capacity = 8});
  });
  EXPECT_EQ(words.back(), 9U);  // what is needed
  EXPECT_EQ(rows, std::vector<std::uint32_t>(8, 77));
}

TEST(ChangeErrors, ColumnsThatDoNotFitThoseOfTheIndex) {
  const std::vector<int> numbers = {1, 2};
  const std::vector<std::int64_t> ticks = {10, 20};
  const auto seconds = ColumnView::timestamps(ticks, TimeUnit::second);
  Index including = build(numbers, "sorted@cpu", {.include = seconds});
  expect_invalid("values in another unit",
                 [&] { including.insert(numbers, seconds.with_time_unit(TimeUnit::millisecond)); });
  Index of_pairs = build(ColumnView::composite({numbers, ticks}), "sorted@cpu");
  expect_invalid("half of a key",
                 [&] { of_pairs.insert(ColumnView::composite({ColumnView(numbers)})); });
  expect_invalid("parts in two places", [&] {
    static_cast<void>(ColumnView::composite({numbers, ColumnView(ticks).on_device()}));
  });
  const std::vector<std::string> names = {"a", "b"};
  expect_invalid("pointers to strings on a GPU",
                 [&] { static_cast<void>(ColumnView(names).on_device()); });
  EXPECT_EQ(including.size(), 2U);
  EXPECT_EQ(of_pairs.size(), 2U);
}

}  // namespace
}  // namespace rtindex::test
