// Indexes of several segments, and when these are merged, against an index that was built at once.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/description.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

using RowKeys = std::vector<std::uint32_t>;

// Every third key is missing.
RowKeys keys_from(std::uint32_t first, std::size_t count) {
  RowKeys keys;
  for (std::uint32_t i = 0; keys.size() < count; ++i)
    if (i % 3 != 0) keys.push_back(first + i * 2);
  return keys;
}

template <class Span>
auto list_of(const Span& values) {
  return std::vector(values.begin(), values.end());
}

void expect_same(const Answers& found, const Answers& wanted) {
  EXPECT_EQ(list_of(found.any()), list_of(wanted.any()));
  EXPECT_EQ(list_of(found.count()), list_of(wanted.count()));
  EXPECT_EQ(list_of(found.offsets()), list_of(wanted.offsets()));
  EXPECT_EQ(list_of(found.rows()), list_of(wanted.rows()));
  EXPECT_EQ(list_of(found.matched_bitmap()), list_of(wanted.matched_bitmap()));
}

void expect_same_index(const Index& index, const Index& wanted, const RowKeys& points) {
  const AnswerOptions all{.answers = Answer::any | Answer::count | Answer::rows, .matched = true};
  expect_same(index.lookup(points, all), wanted.lookup(points, all));
  EXPECT_EQ(list_of(index.lookup(points, Answer::any).any()),
            list_of(wanted.lookup(points, Answer::any).any()));
  const AnswerOptions only_any{.answers = Answer::any, .matched = true};
  EXPECT_EQ(list_of(index.lookup(points, only_any).any()),
            list_of(wanted.lookup(points, only_any).any()));
  for (const Direction direction : {Direction::backward, Direction::forward, Direction::nearest}) {
    const NearestOptions nearest{.direction = direction};
    const AnswerOptions options{.answers = Answer::any | Answer::key};
    const Answers found = index.nearest(points, nearest, options);
    const Answers rows = wanted.nearest(points, nearest, options);
    EXPECT_EQ(list_of(found.any()), list_of(rows.any()));
    for (std::size_t i = 0; i < points.size(); ++i) {
      ASSERT_EQ(found.keys().valid(i), rows.keys().valid(i)) << points[i];
      if (rows.keys().valid(i)) {
        ASSERT_EQ(found.keys().text(i), rows.keys().text(i)) << points[i];
      }
    }
  }
  RowKeys upper = points;
  for (std::uint32_t& key : upper) key += 40;
  AnswerOptions limited{.answers = Answer::rows};
  limited.limit = 11;
  EXPECT_EQ(list_of(index.range(points, upper, limited).offsets()),
            list_of(wanted.range(points, upper, limited).offsets()));
  for (const RowOrder order : {RowOrder::ascending, RowOrder::descending}) {
    AnswerOptions ordered{.answers = Answer::rows | Answer::count};
    ordered.order = order;
    ordered.limit = 7;
    const Answers found = index.range(points, upper, ordered);
    const Answers rows = wanted.range(points, upper, ordered);
    EXPECT_EQ(list_of(found.count()), list_of(rows.count()));
    EXPECT_EQ(list_of(found.offsets()), list_of(rows.offsets()));
    EXPECT_EQ(list_of(found.rows()), list_of(rows.rows()));
  }
}

// Many chunks of lookups, and many blocks of keys.
TEST(Segments, AnswerLikeOne) {
  const RowKeys keys = keys_from(0, 200'000);
  const RowKeys more = keys_from(1, 20'000);
  RowKeys all = keys;
  all.insert(all.end(), more.begin(), more.end());
  RowKeys points = keys_from(96, 1'000);  // each third of them was added later, some are missing
  for (std::size_t i = 0; i < points.size(); i += 3) points[i] += 1;
  for (std::size_t i = 9; i < points.size(); i += 10) points[i] = static_cast<std::uint32_t>(6 * i);
  for (const std::string spec : {"sorted@cpu", "rx:native@cpu"}) {
    SCOPED_TRACE(spec);
    const Index whole = build(all, spec);
    Index index = build(keys, spec);
    index.insert(more);
    ASSERT_EQ(described_numbers(index, "segments", 1), DescribedNumbers{2}) << index.describe();
    expect_same_index(index, whole, points);
    index.merge();
    ASSERT_EQ(described_numbers(index, "segments", 1), DescribedNumbers{1}) << index.describe();
    expect_same_index(index, whole, points);
  }
}

TEST(Segments, OfFewRowsAreMergedFourAtATime) {
  RowKeys keys = keys_from(0, 2'000);
  keys.resize(2'020);
  std::iota(keys.begin() + 2'000, keys.end(), 10'000);
  Index index = build(RowKeys(keys.begin(), keys.begin() + 2'000), "sorted@cpu");
  index.insert(RowKeys(keys.begin() + 2'000, keys.end()));
  std::vector<std::size_t> segments;
  for (std::uint32_t i = 0; i < 4; ++i) {  // no two keys are equal
    index.insert(RowKeys{30 * i, 3'000 - 30 * i});
    keys.insert(keys.end(), {30 * i, 3'000 - 30 * i});
    segments.push_back(described_numbers(index, "segments", 1).front());
    index.update(RowKeys{i}, RowKeys{20'000 - i});
    keys[i] = 20'000 - i;
    segments.push_back(described_numbers(index, "segments", 1).front());
    expect_same_index(index, build(keys, "sorted@cpu"), keys);
  }
  EXPECT_EQ(segments, (std::vector<std::size_t>{3, 4, 5, 2, 3, 4, 5, 2})) << index.describe();
}

// A change of many rows finds no other segments.
TEST(Segments, OfFewRowsAreMergedByALargerChange) {
  Index index = build(keys_from(0, 20'000), "sorted@cpu");
  for (std::uint32_t i = 0; i < 3; ++i) index.insert(RowKeys{i});
  ASSERT_EQ(described_numbers(index, "segments", 1), DescribedNumbers{4}) << index.describe();
  index.insert(keys_from(1, 100));
  EXPECT_EQ(described_numbers(index, "segments", 3), (DescribedNumbers{2, 20'000, 103}))
      << index.describe();
}

TEST(Joins, WithNeighboursOmitLookupsWithoutOne) {
  const Index index = build(RowKeys{10, 20}, "sorted@cpu");
  const JoinedRows inner = index.join(Query::nearest(RowKeys{5, 15, 30}), JoinKind::inner);
  EXPECT_EQ(inner.lookups, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(inner.rows, (RowKeys{0, 1}));
  const JoinedRows left = index.join(Query::nearest(RowKeys{5, 15, 30}), JoinKind::left);
  EXPECT_EQ(left.lookups, (std::vector<std::uint64_t>{0, 1, 2}));
  EXPECT_EQ(left.rows, (RowKeys{miss_row, 0, 1}));
}

class SegmentsOfRx : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_available("rx:embree@cpu")) GTEST_SKIP() << "rx:embree is not available";
  }
};

TEST_F(SegmentsOfRx, StayOneWithRefit) {
  Index index = build(keys_from(0, 100), "rx:embree@cpu,update=refit");
  index.update(RowKeys{5}, RowKeys{50});
  EXPECT_EQ(described_numbers(index, "segments", 2), (DescribedNumbers{1, 100}))
      << index.describe();
}

// Keys of mode=naive span at most 2^23.
TEST_F(SegmentsOfRx, AreMergedAtOnceIfKeysMayNotFitTogether) {
  RowKeys keys = keys_from(0, 99);
  keys.push_back((1U << 23) - 1);
  Index index = build(keys, "rx:embree@cpu,mode=naive");
  index.insert(RowKeys{500});
  EXPECT_EQ(described_numbers(index, "segments", 3), (DescribedNumbers{2, 100, 1}))
      << index.describe();
  EXPECT_THROW(index.insert(RowKeys{1U << 24}), Error);
  std::vector<std::string> texts;
  for (const std::uint32_t key : keys) texts.push_back(std::to_string(key));
  Index names = build(texts, "rx:embree@cpu,mode=naive");
  names.insert(std::vector<std::string>{"7"});
  EXPECT_EQ(described_numbers(names, "segments", 2), (DescribedNumbers{1, 101}))
      << names.describe();
}

}  // namespace
}  // namespace rtindex::test
