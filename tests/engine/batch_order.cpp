// The order in which batches are answered, and that of the rows of a lookup.

#include "engine/batch_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/cache_size.hpp"
#include "keys/codec.hpp"
#include "support/order_oracle.hpp"
#include "support/random.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr bool pays = true;
constexpr bool never_pays = false;

TEST(OrderRule, DescribesItsDecision) {
  const auto text = [](Order order, bool order_pays, std::size_t bytes) {
    return OrderRule(order, order_pays, bytes).describe();
  };
  const std::size_t fits = core_cache_bytes();
  EXPECT_TRUE(mentions(text(Order::on, never_pays, 1), "order: on ("));
  EXPECT_TRUE(mentions(text(Order::off, pays, fits + 1), "order: off ("));
  EXPECT_TRUE(mentions(text(Order::automatic, never_pays, fits + 1), "in their own order"));
  EXPECT_TRUE(mentions(text(Order::automatic, pays, fits), "in their own order"));
  EXPECT_TRUE(mentions(text(Order::automatic, pays, fits + 1),
                       "batches of 65536 lookups or more are answered in key order"));
}

TEST(OrderRule, OrdersLargeUnsortedBatchesOfSearchersBeyondTheCache) {
  constexpr std::size_t enough = std::size_t{1} << 16;
  std::vector<std::uint32_t> ascending(enough);
  std::iota(ascending.begin(), ascending.end(), 0U);
  const std::vector<std::uint32_t> descending(ascending.rbegin(), ascending.rend());
  const ColumnView sorted(ascending);
  const ColumnView unsorted(descending);
  const std::unique_ptr<KeyCodec> codec = KeyCodec::for_column(sorted);
  const auto orders = [&](const OrderRule& rule, const ColumnView& lookups, std::size_t size) {
    return rule.in_order(LookupBatch(*codec, lookups, lookups, QueryKind::equal, {}, 0, size));
  };
  const std::size_t fits = core_cache_bytes();
  const OrderRule rule(Order::automatic, pays, fits + 1);
  EXPECT_TRUE(orders(rule, unsorted, enough));
  EXPECT_FALSE(orders(rule, unsorted, enough - 1));
  EXPECT_FALSE(orders(rule, sorted, enough));
  EXPECT_FALSE(orders({Order::automatic, pays, fits}, unsorted, enough));
  EXPECT_FALSE(orders({Order::automatic, never_pays, fits + 1}, unsorted, enough));
  EXPECT_FALSE(orders({Order::off, pays, fits + 1}, unsorted, enough));
  EXPECT_TRUE(orders({Order::on, never_pays, 1}, sorted, chunk_lookups + 1));
  EXPECT_FALSE(orders({Order::on, never_pays, 1}, sorted, chunk_lookups));
}

TEST(OrderedBatch, AnswersLikeABatchInItsOwnOrder) {
  constexpr std::size_t lookups = 20 * chunk_lookups + 3;
  Random random(4);
  std::vector<std::uint32_t> keys(10'000);
  std::vector<std::uint32_t> lower(lookups);
  std::vector<std::uint32_t> upper(lookups);
  for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random.below(20'000));
  for (std::size_t i = 0; i < lookups; ++i) {
    lower[i] = static_cast<std::uint32_t>(random.below(20'000));
    upper[i] = lower[i] + static_cast<std::uint32_t>(random.below(5));
  }
  const AnswerOptions options{.answers = Answer::first | Answer::count | Answer::rows,
                              .matched = true};
  for (const std::string index : {"rx:native@cpu", "sorted@cpu", "btree@cpu"}) {
    const Index ordered = build(keys, index + ",order=on");
    const Index plain = build(keys, index + ",order=off");
    const auto expect_same = [&](const Answers& found, const Answers& wanted) {
      EXPECT_TRUE(std::ranges::equal(found.matched_bitmap(), wanted.matched_bitmap())) << index;
      EXPECT_TRUE(std::ranges::equal(found.first(), wanted.first())) << index;
      EXPECT_TRUE(std::ranges::equal(found.count(), wanted.count())) << index;
      EXPECT_TRUE(std::ranges::equal(found.offsets(), wanted.offsets())) << index;
    };
    expect_same(ordered.lookup(lower, options), plain.lookup(lower, options));
    expect_same(ordered.range(lower, upper, options), plain.range(lower, upper, options));
    const AnswerOptions without_rows{.answers = Answer::first, .matched = true};
    EXPECT_TRUE(std::ranges::equal(ordered.lookup(lower, without_rows).matched_bitmap(),
                                   plain.lookup(lower, without_rows).matched_bitmap()));
  }
}

TEST(RowOrder, AcceptsALimitOfZeroRows) {
  const std::vector<int> keys = {1, 2, 3, 4, 5, 5, 7};
  for (const std::string& spec : usable_indexes()) {
    const Index index = build(keys, spec);
    if (!keeps_order(index)) continue;
    for (const RowOrder order : {RowOrder::any, RowOrder::ascending, RowOrder::descending}) {
      const AnswerOptions options{
          .answers = Answer::rows, .matched = true, .limit = 0, .order = order};
      const Answers found = index.range(std::vector{2, 8}, std::vector{6, 9}, options);
      EXPECT_TRUE(found.matched(0)) << spec;
      EXPECT_FALSE(found.matched(1)) << spec;
      EXPECT_TRUE(found.rows().empty()) << spec;
    }
  }
}

TEST(RowOrder, MattersToRowsAlone) {
  std::vector<std::uint32_t> keys(1000);
  std::iota(keys.begin(), keys.end(), 0U);
  Index index = build(keys, "sorted@cpu");
  const std::vector<std::uint32_t> lower = {10, 990, 2000};
  const std::vector<std::uint32_t> upper = {19, 1500, 3000};
  AnswerOptions options{.answers = Answer::count};
  options.order = RowOrder::descending;
  const auto counts = [&] {
    const Answers answers = index.range(lower, upper, options);
    return std::vector<std::uint32_t>(answers.count().begin(), answers.count().end());
  };
  EXPECT_EQ(counts(), (std::vector<std::uint32_t>{10, 10, 0}));
  index.insert(std::vector<std::uint32_t>{1000, 2500});
  EXPECT_EQ(counts(), (std::vector<std::uint32_t>{10, 11, 1}));
}

}  // namespace
}  // namespace rtindex::test
