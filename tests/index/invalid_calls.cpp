// Rejects queries that a column does not support, and buffers and changes that do not fit it.

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

TEST(OrderErrors, RejectInvalidQueries) {
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
  expect_invalid("prefixes of numbers",
                 [&] { static_cast<void>(of_numbers.answer(Query::prefix(names))); });
  std::vector<std::uint32_t> rows(2);
  expect_invalid("rows without offsets",
                 [&] { of_numbers.answer_into(Query::equal(numbers), {}, {.rows = rows.data()}); });
  expect_invalid("parts without a pair", [&] {
    of_numbers.join_batches(Query::equal(numbers), JoinKind::inner, 0, [](const JoinedRows&) {});
  });
  expect_invalid("parts for nobody", [&] {
    of_numbers.join_batches(Query::equal(numbers), JoinKind::inner, 5, JoinCallback());
  });
}

TEST(EmptyBatches, HaveEveryAnswer) {
  const std::vector<int> keys = {1, 2};
  const Index index = build(keys, "sorted@cpu", {.include = keys});
  for (const Answer answer : all_answers()) {
    if (answer == Answer::key) continue;
    EXPECT_EQ(index.lookup(std::vector<int>{}, {.answers = answer, .matched = true}).size(), 0U)
        << name_of(answer);
  }
  double mean = 7;
  std::uint8_t validity = 7;
  index.answer_into(Query::equal(std::vector<int>{}), {}, {.mean = &mean, .validity = &validity});
  EXPECT_EQ(mean, 7);
}

TEST(BufferErrors, RejectBuffersThatCannotHoldTheAnswers) {
  const std::vector<std::string> names = {"a", "b"};
  const std::vector<int> numbers = {1, 1, 1};
  const Index of_names = build(names, "sorted@cpu");
  const Index of_numbers = build(numbers, "sorted@cpu");
  std::vector<std::uint64_t> words(4);
  std::vector<std::uint32_t> rows(8, 77);
  expect_invalid("strings in a buffer",
                 [&] { of_names.answer_into(Query::nearest(names), {}, {.key = words.data()}); });
  expect_invalid("buffers of a GPU", [&] {
    of_numbers.answer_into(Query::equal(numbers), {},
                           {.any = rows.data(), .memory_space = MemorySpace::device});
  });
  expect_invalid("keys that were not passed",
                 [&] { static_cast<void>(of_numbers.answer(Query::equal({}))); });
}

TEST(SmallBuffers, ReceiveTheFirstRowsAndTheOffsetsOfAll) {
  const std::vector<int> numbers = {1, 1, 1};
  const Index index = build(numbers, "sorted@cpu");
  std::vector<std::uint64_t> offsets(4);
  std::vector<std::uint32_t> rows(8, 77);
  index.answer_into(Query::equal(numbers), {.order = RowOrder::ascending},
                    {.offsets = offsets.data(), .rows = rows.data(), .rows_capacity = 7});
  EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 3, 6, 9}));
  EXPECT_EQ(rows, (std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2, 0, 77}));
}

TEST(SmallBuffers, ReceiveTheFirstPairsAndTheCountOfAll) {
  const std::vector<int> numbers = {1, 1, 1};
  const Index index = build(numbers, "sorted@cpu");
  const JoinedRows all = index.join(Query::equal(numbers));
  ASSERT_EQ(all.rows.size(), 9U);
  std::uint64_t count = 0;
  index.join_into(Query::equal(numbers), JoinKind::inner, {.count = &count});
  EXPECT_EQ(count, 9U);
  std::vector<std::uint64_t> lookups(6, 77);
  std::vector<std::uint32_t> rows(6, 77);
  index.join_into(Query::equal(numbers), JoinKind::inner,
                  {.lookups = lookups.data(), .rows = rows.data(), .capacity = 5, .count = &count});
  EXPECT_EQ(count, 9U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(lookups[i], all.lookups[i]);
    EXPECT_EQ(rows[i], all.rows[i]);
  }
  EXPECT_EQ(lookups.back(), 77U);
  EXPECT_EQ(rows.back(), 77U);
  // Semi joins return no rows.
  index.join_into(Query::equal(numbers), JoinKind::semi,
                  {.lookups = lookups.data(), .capacity = 2, .count = &count});
  EXPECT_EQ(count, 3U);
  EXPECT_EQ(rows[0], all.rows[0]);
}

TEST(ChangeErrors, RejectColumnsThatDoNotFitTheIndex) {
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
