// Queries that only some rows may match. An index in which all other rows are null answers every
// query alike.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/checker.hpp"
#include "support/order_oracle.hpp"
#include "support/random.hpp"
#include "support/specs.hpp"
#include "support/test_column.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

// A bitmap that begins at some bit.
class Filter {
 public:
  Filter(std::size_t rows, std::size_t offset, const std::function<bool(std::size_t)>& has)
      : rows_(rows), offset_(offset), bytes_(bitmap_bytes(rows + offset) + 1, 0xff) {
    for (std::size_t row = 0; row < rows; ++row)
      if (!has(row))
        bytes_[(offset + row) / 8] &= static_cast<std::uint8_t>(~(1U << ((offset + row) % 8)));
  }
  [[nodiscard]] BitmapView view() const { return {bytes_.data(), rows_, offset_}; }

 private:
  std::size_t rows_, offset_;
  std::vector<std::uint8_t> bytes_;
};

// Sorts the rows of each lookup.
void sort_rows(PlainAnswers& answers) {
  const std::vector<std::uint64_t>& offsets = *answers.offsets;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    std::sort(answers.rows.begin() + static_cast<std::ptrdiff_t>(offsets[i]),
              answers.rows.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]));
}

void expect_same(const Answers& a, const Answers& b, bool in_order, const std::string& what) {
  const AnswerOptions options{.answers = a.answers(), .matched = true};
  PlainAnswers left = plain_answers(a, options);
  PlainAnswers right = plain_answers(b, options);
  if (!in_order) {
    sort_rows(left);
    sort_rows(right);
  }
  // `any` is one of the rows, whichever is found first.
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::vector<std::uint32_t>& rows = (*right.bitmaps)[i];
    const std::uint32_t row = (*left.any)[i];
    ASSERT_TRUE(rows.empty() ? row == miss_row : std::binary_search(rows.begin(), rows.end(), row))
        << what << " " << i;
  }
  ASSERT_EQ(left.first, right.first) << what;
  ASSERT_EQ(left.count, right.count) << what;
  ASSERT_EQ(left.sum, right.sum) << what;
  ASSERT_EQ(left.min, right.min) << what;
  ASSERT_EQ(left.rows, right.rows) << what;
  ASSERT_EQ(left.matched, right.matched) << what;
  ASSERT_EQ(left.bitmap, right.bitmap) << what;
  ASSERT_EQ(left.bitmaps, right.bitmaps) << what;
}

class Filters : public testing::TestWithParam<std::string> {};

TEST_P(Filters, AnswerAsIfOtherRowsWereNull) {
  for (const char* workload : {"duplicates_x256", "sparse_u64", "prefixes_of_each_other",
                               "string_int", "three_wide_ints"}) {
    const TestColumn column = workload_named(workload).column();
    const auto kept = [](std::size_t row) { return row % 3 != 1 && row % 7 != 2; };
    const Filter filter(column.size(), 5, kept);
    const TestColumn nulled = with_nulls(column, [&](std::size_t row) { return !kept(row); });
    const Index all = build(column.view(), GetParam());
    const Index some = build(nulled.view(), GetParam());
    Random random(3);
    std::vector<Key> keys;
    for (int i = 0; i < 300; ++i) keys.push_back(random.pick(column.keys()));
    const TestColumn lookups(column.shape(), keys);
    const TestColumn values = values_of(Type::i32, column.size(), random);
    std::vector<Query> queries = {Query::equal(lookups.view())};
    if (all.supports(Answer::any, QueryKind::range)) {
      queries.push_back(Query::range(lookups.view(), ColumnView()));
      queries.push_back(Query::range(ColumnView(), lookups.view(), Ends::right_open));
    }
    if (keeps_order(all))
      for (const Direction direction : {Direction::backward, Direction::forward})
        queries.push_back(Query::nearest(lookups.view(), {.direction = direction}));
    if (all.supports(Answer::any, QueryKind::prefix))
      queries.push_back(Query::prefix(lookups.view()));
    for (const Query& query : queries) {
      const std::string what = GetParam() + " " + workload + " " + std::string(name_of(query.kind));
      AnswerOptions options{.answers = Answer::any | Answer::first | Answer::count | Answer::sum |
                                       Answer::min | Answer::rows | Answer::bitmap |
                                       Answer::bitmaps,
                            .values = values.view(),
                            .matched = true};
      if (keeps_order(all)) options.order = RowOrder::ascending;
      const Answers filtered = all.answer(query.with_filter(filter.view()), options);
      expect_same(filtered, some.answer(query, options), keeps_order(all), what);
      for (const JoinKind how : {JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti}) {
        const JoinedRows pairs = all.join(query.with_filter(filter.view()), how);
        const JoinedRows wanted = some.join(query, how);
        ASSERT_EQ(pairs.lookups, wanted.lookups) << what;
        ASSERT_EQ(pairs.rows.size(), wanted.rows.size()) << what;
      }
    }
  }
}

TEST_P(Filters, OfNoRowsMatchNothing) {
  const std::vector<std::uint32_t> keys = {5, 5, 7};
  const Index index = build(keys, GetParam());
  const std::uint8_t none[1] = {0};
  const Answers answers = index.answer(Query::equal(keys).with_filter({none, 3}),
                                       {.answers = Answer::count | Answer::bitmap});
  EXPECT_EQ(bitmap_count(answers.bitmap()), 0U);
  for (const std::uint32_t count : answers.count()) EXPECT_EQ(count, 0U);
}

TEST_P(Filters, OfEmptyIndexesAreEmpty) {
  const std::vector<std::uint32_t> none;
  const std::vector<std::uint32_t> keys = {1};
  const Index index = build(none, GetParam());
  const Answers answers =
      index.answer(Query::equal(keys).with_filter({}),
                   {.answers = Answer::count | Answer::bitmap | Answer::bitmaps});
  EXPECT_EQ(answers.bitmap().rows, 0U);
  EXPECT_EQ(answers.bitmap(0).rows, 0U);
  EXPECT_EQ(answers.count()[0], 0U);
}

// Between two rows of a narrow filter lie thousands of others.
TEST_P(Filters, FindNeighboursFarAway) {
  if (GetParam().starts_with("hash")) GTEST_SKIP() << "keeps no order";
  constexpr std::uint32_t rows = 20'000;
  Random random(11);
  std::vector<std::uint32_t> keys(rows);
  for (std::uint32_t row = 0; row < rows; ++row) keys[row] = 3 * row + 10;
  random.shuffle(keys);
  Index index = build(keys, GetParam());
  const Filter filter(rows, 5, [](std::size_t row) { return row % 4001 == 7; });
  index.erase(std::vector<std::uint32_t>{7});
  std::vector<std::uint32_t> lookups;
  for (std::uint32_t i = 0; i < 700; ++i) lookups.push_back(i * 89);
  for (const Direction direction : {Direction::backward, Direction::forward, Direction::nearest}) {
    const Answers answers = index.answer(
        Query::nearest(lookups, {.direction = direction}).with_filter(filter.view()), Answer::any);
    for (std::size_t i = 0; i < lookups.size(); ++i) {
      std::uint32_t wanted = miss_row;
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      for (std::uint32_t row = 4008; row < rows; row += 4001) {
        const std::int64_t ahead = std::int64_t{keys[row]} - lookups[i];
        if (direction == Direction::backward && ahead > 0) continue;
        if (direction == Direction::forward && ahead < 0) continue;
        // Of two keys at the same distance, the one before the lookup.
        if (2 * std::abs(ahead) + (ahead > 0) >= least) continue;
        least = 2 * std::abs(ahead) + (ahead > 0);
        wanted = row;
      }
      ASSERT_EQ(answers.any()[i], wanted) << name_of(direction) << " " << lookups[i];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Index, Filters, testing::ValuesIn(usable_and_bucketed()),
                         [](const auto& item) { return test_name(item.param); });

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(BitmapAnswers, AreRejectedWhereTheyDoNotFit) {
  const std::vector<std::uint32_t> keys = {1, 2, 3};
  const Index index = build(keys, "rx:native@cpu");
  const std::uint8_t bits[1] = {7};
  EXPECT_EQ(message_of([&] {
              static_cast<void>(index.answer(Query::equal(keys).with_filter({bits, 4})));
            }),
            "the filter has 4 rows but the index has 3: pass a bit for each row");
  EXPECT_EQ(message_of([&] {
              static_cast<void>(index.join(Query::equal(keys).with_filter({bits, 2})));
            }),
            "the filter has 2 rows but the index has 3: pass a bit for each row");
  EXPECT_EQ(message_of([&] {
              static_cast<void>(index.answer(Query::equal(keys).with_filter({nullptr, 3})));
            }),
            "expected the bits of a filter of 3 rows, got a null pointer");
  const std::string device = message_of([&] {
    static_cast<void>(
        index.answer(Query::equal(keys).with_filter({bits, 3, 0, MemorySpace::device})));
  });
  EXPECT_NE(device.find("the bits of the filter are in device memory"), std::string::npos);
  EXPECT_EQ(
      message_of([&] {
        static_cast<void>(
            index.answer(Query::equal(keys), {.answers = Answer::bitmaps, .max_bitmap_bytes = 2}));
      }),
      "the bitmaps of 3 queries over 3 rows take more than 2 bytes: pass fewer queries, raise "
      "max_bitmap_bytes, or request one bitmap of all queries ('bitmap')");
}

TEST(BitmapAnswers, LeaveOutRowsBeyondTheBuffer) {
  const std::vector<std::uint32_t> keys = {1, 2, 1, 1, 2, 1, 1, 1, 1, 1, 1};
  const Index index = build(keys, "rx:native@cpu");
  std::uint8_t bitmap[3] = {0xff, 0xff, 0xff};
  Outputs outputs;
  outputs.bitmap = bitmap;
  outputs.bitmap_rows = 9;
  const std::vector<std::uint32_t> one = {1};
  index.answer_into(Query::equal(one), {}, outputs);
  EXPECT_EQ(bitmap[0], 0b11101101);
  EXPECT_EQ(bitmap[1], 0b1);
  EXPECT_EQ(bitmap[2], 0xff);
}

}  // namespace
}  // namespace rtindex::test
