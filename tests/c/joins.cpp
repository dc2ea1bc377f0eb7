// rtindex_join() and its relatives return what Index::join() returns.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/rtindex.h>
#include <rtindex/rtindex.hpp>

#include "c/c_calls.hpp"
#include "support/test_column.hpp"

namespace rtindex::test {
namespace {

// Collects the batches of a join, and ends it after `max_batches` of them.
struct CollectedBatches {
  std::vector<std::uint64_t> lookups;
  std::vector<std::uint32_t> rows;
  std::size_t batches = 0;
  std::size_t max_batches = 1000;
  std::size_t largest = 0;

  static rtindex_status callback(void* context, const std::uint64_t* lookups,
                                 const std::uint32_t* rows, std::size_t count) {
    auto& self = *static_cast<CollectedBatches*>(context);
    if (++self.batches > self.max_batches) return RTINDEX_STATUS_UNAVAILABLE;
    self.largest = std::max(self.largest, count);
    self.lookups.insert(self.lookups.end(), lookups, lookups + count);
    if (rows != nullptr) self.rows.insert(self.rows.end(), rows, rows + count);
    return RTINDEX_STATUS_OK;
  }
};

// One join through every call of the C interface.
class JoinInC {
 public:
  JoinInC(const rtindex_index* index, const rtindex_query& query, JoinKind how,
          const JoinedRows& expected)
      : index_(index),
        query_(query),
        has_rows_(how == JoinKind::inner || how == JoinKind::left),
        expected_(expected) {
    options_.how = static_cast<std::int32_t>(how);
  }

  void expect_pairs() const {
    Exported pairs;
    ASSERT_EQ("", error_in(rtindex_join(index_, &query_, &options_, pairs.schema_out(),
                                        pairs.array_out())));
    EXPECT_EQ(elements_of<std::uint64_t>(*pairs.child("lookups")), expected_.lookups);
    ASSERT_EQ(pairs.child("rows") != nullptr, has_rows_);
    if (has_rows_) {
      EXPECT_EQ(elements_of<std::uint32_t>(*pairs.child("rows")), expected_.rows);
    }
  }

  void expect_batches() const {
    // Queries in host memory are joined in host memory by both.
    for (const auto call : {rtindex_join_batches, rtindex_join_batches_device}) {
      CollectedBatches collected;
      ASSERT_EQ("", error_in(call(index_, &query_, &options_, 2, CollectedBatches::callback,
                                  &collected)));
      EXPECT_EQ(collected.lookups, expected_.lookups);
      EXPECT_EQ(collected.rows, expected_.rows);
      EXPECT_LE(collected.largest, 2U);
      if (expected_.lookups.size() <= 2) continue;
      CollectedBatches ended{.max_batches = 1};
      EXPECT_EQ(call(index_, &query_, &options_, 2, CollectedBatches::callback, &ended),
                RTINDEX_STATUS_UNAVAILABLE);
    }
  }

  void expect_pairs_in_any_order() const {
    rtindex_join_options options = options_;
    options.order = RTINDEX_JOIN_ORDER_ANY;
    Exported joined;
    ASSERT_EQ("", error_in(rtindex_join(index_, &query_, &options, joined.schema_out(),
                                        joined.array_out())));
    const auto sorted = [&](const std::vector<std::uint64_t>& lookups,
                            const std::vector<std::uint32_t>& rows) {
      std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs;
      for (std::size_t i = 0; i < lookups.size(); ++i)
        pairs.emplace_back(lookups[i], has_rows_ ? rows[i] : 0);
      std::sort(pairs.begin(), pairs.end());
      return pairs;
    };
    const auto lookups = elements_of<std::uint64_t>(*joined.child("lookups"));
    const auto rows = has_rows_ ? elements_of<std::uint32_t>(*joined.child("rows"))
                                : std::vector<std::uint32_t>();
    EXPECT_EQ(sorted(lookups, rows), sorted(expected_.lookups, expected_.rows));
  }

  void expect_count() const {
    std::uint64_t count = 77;
    auto outputs = sized<rtindex_join_outputs>();
    outputs.count = &count;
    ASSERT_EQ("", error_in(rtindex_join_into(index_, &query_, &options_, &outputs)));
    EXPECT_EQ(count, expected_.lookups.size());
  }

  // Into buffers with room for so many pairs, and an element behind them that stays as it is.
  void expect_first_pairs(std::size_t capacity) const {
    constexpr std::uint32_t untouched = 77;
    std::uint64_t count = untouched;
    std::vector<std::uint64_t> lookups(capacity + 1, untouched);
    std::vector<std::uint32_t> rows(capacity + 1, untouched);
    auto outputs = sized<rtindex_join_outputs>();
    outputs.lookups = lookups.data();
    if (has_rows_) outputs.rows = rows.data();
    outputs.capacity = capacity;
    outputs.count = &count;
    ASSERT_EQ("", error_in(rtindex_join_into(index_, &query_, &options_, &outputs)));
    EXPECT_EQ(count, expected_.lookups.size());
    const auto written = [&](auto elements) {
      elements.resize(std::min(capacity, elements.size()));
      elements.resize(capacity + 1, untouched);
      return elements;
    };
    EXPECT_EQ(lookups, written(expected_.lookups)) << "capacity " << capacity;
    EXPECT_EQ(rows, written(expected_.rows)) << "capacity " << capacity;
  }

 private:
  const rtindex_index* index_;
  const rtindex_query& query_;
  rtindex_join_options options_ = sized<rtindex_join_options>();
  bool has_rows_;
  const JoinedRows& expected_;
};

void expect_joins(const rtindex_index* c_index, const rtindex_query& c_query, const Index& index,
                  const Query& query) {
  for (const JoinKind how : {JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti}) {
    SCOPED_TRACE(std::string(name_of(query.kind)) + " " + std::string(name_of(how)));
    const JoinedRows expected = index.join(query, how);
    const JoinInC join(c_index, c_query, how, expected);
    join.expect_pairs();
    join.expect_pairs_in_any_order();
    join.expect_batches();
    join.expect_count();
    for (std::size_t capacity = 0; capacity <= expected.lookups.size() + 1; ++capacity)
      join.expect_first_pairs(capacity);
  }
}

class CJoins : public CIndexTest {};

TEST_F(CJoins, OfNumbers) {
  const Index expected = build(six_keys, "sorted@cpu");
  const std::vector<std::int64_t> batch{29, 24, 25, 30};
  const std::vector<std::int64_t> ends{30, 24, 27, 20};
  const rtindex_column lower = memory_of(RTINDEX_TYPE_INT64, batch);
  const rtindex_column upper = memory_of(RTINDEX_TYPE_INT64, ends);
  expect_joins(index(), rtindex_query_equal(&lower), expected, Query::equal(batch));
  expect_joins(index(), rtindex_query_range(&lower, &upper, RTINDEX_ENDS_RIGHT_OPEN), expected,
               Query::range(batch, ends, Ends::right_open));
  rtindex_query nearest = rtindex_query_nearest(&lower, RTINDEX_DIRECTION_FORWARD);
  nearest.exact = RTINDEX_EXACT_EXCLUDED;
  expect_joins(index(), nearest, expected,
               Query::nearest(batch, {.direction = Direction::forward, .exact = false}));
}

TEST(CPrefixJoins, OfStrings) {
  const std::vector<std::string> texts{"apple", "banana", "apricot", "cherry", "app"};
  const std::vector<std::string> prefixes{"ap", "x", "b", "app", ""};
  const TestColumn column = strings(texts);
  const TestColumn keys = strings(prefixes);
  const ArrowColumn c_column(column);
  const ArrowColumn c_keys(keys);
  for (const char* spec : {"sorted@cpu", "rx:native@cpu"}) {
    SCOPED_TRACE(spec);
    CIndex index;
    ASSERT_EQ("", error_in(rtindex_build(c_column.get(), spec, nullptr, index.out())));
    expect_joins(index.get(), rtindex_query_prefix(c_keys.get()), build(column.view(), spec),
                 Query::prefix(keys.view()));
  }
}

TEST(CIntervalJoins, OfEveryQuery) {
  const std::vector<std::int64_t> starts = {1, 5, 9, 2};
  const std::vector<std::int64_t> ends = {5, 9, 20, 19};
  const std::vector<std::int64_t> low = {4, 5, 30, 0};
  const std::vector<std::int64_t> high = {9, 7, 40, 19};
  const std::vector<rtindex_column> parts = {memory_of(RTINDEX_TYPE_INT64, starts),
                                             memory_of(RTINDEX_TYPE_INT64, ends)};
  auto column = sized<rtindex_column>();
  column.type = RTINDEX_TYPE_COMPOSITE;
  column.parts = parts.data();
  column.part_count = parts.size();
  column.intervals = RTINDEX_INTERVALS_RIGHT_OPEN;
  const rtindex_column lower = memory_of(RTINDEX_TYPE_INT64, low);
  const rtindex_column upper = memory_of(RTINDEX_TYPE_INT64, high);
  const std::int32_t closed = RTINDEX_ENDS_CLOSED;
  for (const char* spec : {"sorted@cpu", "rx:native@cpu"}) {
    SCOPED_TRACE(spec);
    CIndex index;
    ASSERT_EQ("", error_in(rtindex_build(&column, spec, nullptr, index.out())));
    const Index expected = build(ColumnView::intervals(starts, ends, Ends::right_open), spec);
    expect_joins(index.get(), rtindex_query_contains(&lower), expected, Query::contains(low));
    expect_joins(index.get(), rtindex_query_overlaps(&lower, &upper, closed), expected,
                 Query::overlaps(low, high));
    expect_joins(index.get(), rtindex_query_within(&lower, &upper, closed), expected,
                 Query::within(low, high));
    expect_joins(index.get(), rtindex_query_covers(&lower, &upper, closed), expected,
                 Query::covers(low, high));
    expect_joins(index.get(), rtindex_query_nearest(&upper, RTINDEX_DIRECTION_NEAREST), expected,
                 Query::nearest(high, {.direction = Direction::nearest}));
  }
}

TEST(CBoxJoins, OfABatch) {
  const std::vector<std::int32_t> prices = {10, 20, 30, 40, 20};
  const std::vector<std::int64_t> stores = {1, 2, 1, 2, 1};
  const std::vector<std::int32_t> low = {10, 50, 20};
  const std::vector<std::int32_t> high = {30, 60, 40};
  const std::vector<std::int64_t> some_stores = {1, 7};
  const std::vector<rtindex_column> parts = {memory_of(RTINDEX_TYPE_INT32, prices),
                                             memory_of(RTINDEX_TYPE_INT64, stores)};
  auto column = sized<rtindex_column>();
  column.type = RTINDEX_TYPE_COMPOSITE;
  column.parts = parts.data();
  column.part_count = parts.size();
  column.points = 1;
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, "rx:native@cpu", nullptr, index.out())));
  const Index expected = build(ColumnView::points({prices, stores}), "rx:native@cpu");
  const rtindex_column lower = memory_of(RTINDEX_TYPE_INT32, low);
  const rtindex_column upper = memory_of(RTINDEX_TYPE_INT32, high);
  const rtindex_column values = memory_of(RTINDEX_TYPE_INT64, some_stores);
  std::vector<rtindex_condition> conditions(2, sized<rtindex_condition>());
  conditions[0].kind = RTINDEX_CONDITION_RANGE;
  conditions[0].lower = &lower;
  conditions[0].upper = &upper;
  expect_joins(index.get(), rtindex_query_box(conditions.data(), 1), expected,
               Query::box({Condition::range(low, high)}));
  conditions[1].kind = RTINDEX_CONDITION_ISIN;
  conditions[1].lower = &values;
  expect_joins(index.get(), rtindex_query_box(conditions.data(), 2), expected,
               Query::box({Condition::range(low, high), Condition::isin(some_stores)}));
}

TEST_F(CJoins, RejectUnknownOrders) {
  const rtindex_column keys = memory_of(RTINDEX_TYPE_INT64, six_keys);
  const rtindex_query query = rtindex_query_equal(&keys);
  auto options = sized<rtindex_join_options>();
  options.order = 2;
  ArrowArray array{};
  EXPECT_EQ(rtindex_join(index(), &query, &options, nullptr, &array),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(array.release, nullptr);
}

TEST_F(CJoins, RejectMissingBuffers) {
  const rtindex_column keys = memory_of(RTINDEX_TYPE_INT64, six_keys);
  const rtindex_query query = rtindex_query_equal(&keys);
  std::uint64_t count = 77;
  std::vector<std::uint64_t> lookups(8, 77);
  std::vector<std::uint32_t> rows(8, 77);
  const auto status = [&](auto change) {
    auto outputs = sized<rtindex_join_outputs>();
    outputs.lookups = lookups.data();
    outputs.rows = rows.data();
    outputs.capacity = rows.size();
    outputs.count = &count;
    change(outputs);
    return rtindex_join_into(index(), &query, nullptr, &outputs);
  };
  using To = rtindex_join_outputs;
  EXPECT_EQ(status([](To& to) { to.count = nullptr; }), RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(status([](To& to) { to.lookups = nullptr; }), RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(status([](To& to) { to.rows = nullptr; }), RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(status([](To& to) { to.memory_space = 2; }), RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(status([](To& to) { to.memory_space = RTINDEX_MEMORY_SPACE_DEVICE; }),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(status([](To& to) { to.struct_size = 0; }), RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(count, 77U);
  EXPECT_EQ(rows, std::vector<std::uint32_t>(8, 77));
  EXPECT_EQ(status([](To&) {}), RTINDEX_STATUS_OK);
  EXPECT_EQ(count, 8U);
}

}  // namespace
}  // namespace rtindex::test
