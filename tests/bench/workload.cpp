#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "workload/changing_table.hpp"
#include "workload/column.hpp"
#include "workload/lookups.hpp"

namespace rtindex::bench {
namespace {

std::vector<std::uint64_t> sorted_keys(const Column& column) {
  std::vector<std::uint64_t> keys = column.keys.to_host();
  std::sort(keys.begin(), keys.end());
  return keys;
}

bool are_distinct(const Column& column) {
  const auto keys = sorted_keys(column);
  return std::adjacent_find(keys.begin(), keys.end()) == keys.end();
}

// The slow, obvious answer to a lookup.
std::uint64_t scanned_sum(const Column& column, std::uint64_t lower, std::uint64_t upper) {
  std::uint64_t sum = 0;
  bool is_hit = false;
  for (std::size_t row = 0; row < column.size(); ++row)
    if (column.keys[row] >= lower && column.keys[row] <= upper) {
      sum += column.values[row];
      is_hit = true;
    }
  return is_hit ? sum : miss_sum;
}

void expect_right_answers(const Column& column, const Lookups& lookups) {
  ASSERT_EQ(lookups.expected.size(), lookups.size());
  for (std::size_t i = 0; i < lookups.size(); ++i) {
    const std::uint64_t lower = lookups.lower[i];
    const std::uint64_t upper = lookups.are_ranges() ? lookups.upper[i] : lower;
    ASSERT_EQ(lookups.expected[i], scanned_sum(column, lower, upper)) << "lookup " << i;
  }
}

const std::unique_ptr<ExecutionSpace> host_memory = host_space();
constexpr std::size_t row_count = 1000;
constexpr std::size_t lookup_count = 300;

TEST(Columns, DenseIsEveryMultipleOfTheStrideOnce) {
  for (const std::uint64_t stride : {1U, 4U}) {
    const auto keys = sorted_keys(dense_column(*host_memory, row_count, 32, 1, stride));
    for (std::size_t rank = 0; rank < row_count; ++rank) ASSERT_EQ(keys[rank], rank * stride);
  }
}

TEST(Columns, UniformKeysAreDistinctAndSpread) {
  for (const int bits : {32, 64}) {
    const Column column = uniform_column(*host_memory, row_count, bits, 1);
    EXPECT_TRUE(are_distinct(column));
    const auto keys = sorted_keys(column);
    const double all = std::ldexp(1.0, bits);
    EXPECT_LT(static_cast<double>(keys.front()), all * 0.02);
    EXPECT_GT(static_cast<double>(keys.back()), all * 0.98);
    EXPECT_NEAR(static_cast<double>(keys[row_count / 2]), all / 2, all * 0.1);
  }
}

TEST(Columns, ClusteredHasItsShareOutsideTheCentre) {
  for (const double share : {0.0, 0.25, 1.0}) {
    const Column column = clustered_column(*host_memory, row_count, share, 1);
    EXPECT_TRUE(are_distinct(column));
    const std::uint64_t middle = std::uint64_t{1} << 31;
    const auto keys = sorted_keys(column);
    const auto outside = std::count_if(keys.begin(), keys.end(), [&](std::uint64_t key) {
      return key < middle - row_count || key > middle + row_count;
    });
    EXPECT_NEAR(static_cast<double>(outside), share * row_count, 2);
  }
}

TEST(Columns, RepeatedHasEveryKeyEquallyOften) {
  const Column column = repeated_column(*host_memory, 1024, 16, 1);
  std::map<std::uint64_t, int> counts;
  for (const std::uint64_t key : sorted_keys(column)) ++counts[key];
  EXPECT_EQ(counts.size(), 64U);
  for (const auto& [key, count] : counts) EXPECT_EQ(count, 16) << key;
}

TEST(Columns, DependOnTheirSeed) {
  EXPECT_EQ(sorted_keys(uniform_column(*host_memory, row_count, 32, 1)),
            sorted_keys(uniform_column(*host_memory, row_count, 32, 1)));
  EXPECT_NE(sorted_keys(uniform_column(*host_memory, row_count, 32, 1)),
            sorted_keys(uniform_column(*host_memory, row_count, 32, 2)));
}

TEST(Columns, KeyOrderKeepsValuesWithTheirKeys) {
  const Column column = repeated_column(*host_memory, 512, 4, 1);
  const Column sorted = in_key_order(column);
  EXPECT_EQ(sorted_keys(column), sorted_keys(sorted));
  for (std::size_t row = 0; row < sorted.size(); ++row) {
    if (row > 0) {
      ASSERT_LE(sorted.keys[row - 1], sorted.keys[row]);
    }
    ASSERT_EQ(sorted.data().at(row).expected,
              scanned_sum(column, sorted.keys[row], sorted.keys[row]));
  }
}

TEST(Columns, MayRepeatTheirKeys) {
  KeyArray keys(*host_memory, 64, 5);
  for (const std::size_t row : {0U, 3U}) keys.set(row, std::numeric_limits<std::uint64_t>::max());
  const Column column = column_of(std::move(keys), 1);
  expect_right_answers(column, hits_in(column, lookup_count, 2));
}

TEST(Lookups, ThatHitHaveTheirExpectedSums) {
  std::vector<Column> columns;
  columns.push_back(dense_column(*host_memory, row_count, 32, 1));
  columns.push_back(uniform_column(*host_memory, row_count, 64, 1));
  columns.push_back(repeated_column(*host_memory, row_count, 8, 1));
  columns.push_back(clustered_column(*host_memory, row_count, 0.5, 1));
  for (const Column& column : columns) {
    expect_right_answers(column, hits_in(column, lookup_count, 2));
    expect_right_answers(column, skewed_hits_in(column, lookup_count, 1.25, 2));
  }
}

TEST(Lookups, HaveExactlyTheRequestedHitRate) {
  const Column column = uniform_column(*host_memory, row_count, 32, 1);
  for (const double rate : {0.0, 0.01, 0.3, 0.5, 0.99, 1.0}) {
    const Lookups lookups = with_hit_rate(column, lookup_count, rate, Misses::in_range, 1, 2);
    expect_right_answers(column, lookups);
    const std::vector<std::uint64_t> expected = lookups.expected.to_host();
    const auto hits = std::count_if(expected.begin(), expected.end(),
                                    [](std::uint64_t sum) { return sum != miss_sum; });
    EXPECT_EQ(hits, std::llround(rate * lookup_count));
    const auto keys = sorted_keys(column);
    for (std::size_t i = 0; i < lookup_count; ++i) {
      ASSERT_GE(lookups.lower[i], keys.front());
      ASSERT_LE(lookups.lower[i], keys.back());
    }
  }
}

TEST(Lookups, MissOutsideTheKeyRange) {
  const Column column = middle_column(*host_memory, row_count, 1);
  EXPECT_TRUE(are_distinct(column));
  const Lookups lookups = with_hit_rate(column, lookup_count, 0, Misses::out_of_range, 1, 2);
  expect_right_answers(column, lookups);
  const auto keys = sorted_keys(column);
  std::size_t below = 0;
  for (std::size_t i = 0; i < lookup_count; ++i) {
    ASSERT_TRUE(lookups.lower[i] < keys.front() || lookups.lower[i] > keys.back());
    below += lookups.lower[i] < keys.front() ? 1 : 0;
  }
  EXPECT_GT(below, lookup_count / 4);
  EXPECT_LT(below, lookup_count * 3 / 4);
}

TEST(Lookups, RangesHaveExactlyTheRequestedHits) {
  for (const int bits : {32, 64}) {
    const Column column = bits == 32 ? dense_column(*host_memory, row_count, bits, 1)
                                     : uniform_column(*host_memory, row_count, bits, 1);
    const Ranked ranked(column);
    const auto keys = sorted_keys(column);
    for (const std::size_t hits : {1U, 16U, 1000U}) {
      const Lookups lookups = ranges_of_hits(ranked, lookup_count, hits, 2);
      expect_right_answers(column, lookups);
      for (std::size_t i = 0; i < lookup_count; ++i) {
        const auto first = std::lower_bound(keys.begin(), keys.end(), lookups.lower[i]);
        const auto end = std::upper_bound(keys.begin(), keys.end(), lookups.upper[i]);
        ASSERT_EQ(end - first, static_cast<std::ptrdiff_t>(hits));
      }
    }
  }
}

TEST(Lookups, RangesOfASpanOrOfRowsHaveTheirExpectedSums) {
  for (const std::size_t multiplicity : {1U, 4U}) {
    const Column column = repeated_column(*host_memory, row_count, multiplicity, 1);
    const Ranked ranked(column);
    expect_right_answers(column, ranges_of_span(ranked, lookup_count, std::uint64_t{1} << 24, 2));
    expect_right_answers(column, ranges_over_rows(ranked, lookup_count, 7, 2));
  }
}

TEST(Lookups, KeyOrderIsPerBatch) {
  const Column column = uniform_column(*host_memory, row_count, 32, 1);
  const Lookups lookups = hits_in(column, lookup_count, 2);
  for (const std::size_t batch : {std::size_t{64}, lookup_count}) {
    std::vector<std::uint64_t> keys = lookups.lower.to_host();
    for (std::size_t first = 0; first < lookup_count; first += batch)
      std::sort(keys.begin() + static_cast<std::ptrdiff_t>(first),
                keys.begin() + static_cast<std::ptrdiff_t>(std::min(lookup_count, first + batch)));
    const WorkloadArray<std::uint64_t> expected = expected_in_key_order(lookups, batch);
    for (std::size_t i = 0; i < lookup_count; ++i)
      ASSERT_EQ(expected[i], scanned_sum(column, keys[i], keys[i])) << "lookup " << i;
  }
}

TEST(Swaps, ExchangeNeighboursAndNothingElse) {
  for (const Neighbours neighbours : {Neighbours::positions, Neighbours::keys}) {
    const Column before = dense_column(*host_memory, row_count, 32, 1);
    const Swaps swaps = random_swaps(before, 100, neighbours, 2);
    Column after = before.copy();
    apply(swaps, after);
    EXPECT_EQ(sorted_keys(before), sorted_keys(after));
    const std::vector<std::uint32_t> rows = swaps.rows.to_host();
    EXPECT_EQ(std::set<std::uint32_t>(rows.begin(), rows.end()).size(), 200U);
    std::size_t moved = 0;
    for (std::size_t row = 0; row < row_count; ++row) {
      if (before.keys[row] == after.keys[row]) continue;
      ++moved;
      const auto distance = neighbours == Neighbours::keys
                                ? std::max(before.keys[row], after.keys[row]) -
                                      std::min(before.keys[row], after.keys[row])
                                : 1;
      ASSERT_EQ(distance, 1U);
      if (neighbours == Neighbours::positions) {
        ASSERT_EQ(before.keys[row], after.keys[row ^ 1]);
      }
    }
    EXPECT_EQ(moved, 200U);
    Index index = build(before.keys.view(), "sorted");
    apply(swaps, index);
    const auto first = index.lookup(after.keys.view(), Answer::first);
    for (std::size_t row = 0; row < row_count; ++row) ASSERT_EQ(first.first()[row], row);
  }
}

// Which rows are there, and with which keys, kept by hand.
struct PlainTable {
  explicit PlainTable(const ChangingTable& table) {
    const Column column = table.column();
    for (std::size_t row = 0; row < column.size(); ++row) keys[row] = column.keys[row];
  }
  void apply(const RowBatch& batch, std::size_t size) {
    for (std::size_t i = 0; i < batch.size; ++i) {
      if (batch.change == Change::insert) {
        EXPECT_TRUE(keys.emplace(size + i, batch.keys[i]).second);
      } else if (batch.change == Change::update) {
        EXPECT_EQ(keys.count(batch.rows[i]), 1U) << "row " << batch.rows[i] << " is not valid";
        keys[batch.rows[i]] = batch.keys[i];
      } else {
        EXPECT_EQ(keys.erase(batch.rows[i]), 1U) << "row " << batch.rows[i] << " is not valid";
      }
    }
  }
  std::map<std::size_t, std::uint64_t> keys;  // by row
};

TEST(ChangingTables, FollowTheirBatches) {
  for (const NewKeys new_keys : {NewKeys::anywhere, NewKeys::narrow})
    for (const int bits : {32, 64}) {
      ChangingTable table(*host_memory, {row_count, 400, bits, new_keys}, 1);
      PlainTable plain(table);
      const auto change = [&](Change kind, std::size_t size) {
        const RowBatch batch = table.next(kind, size);
        plain.apply(batch, table.size());
        table.apply(batch);
      };
      // Erases go on to inserted rows, and updates start over.
      for (int round = 0; round < 4; ++round) {
        change(Change::insert, 100);
        change(Change::update, 270);
        change(Change::erase, 290);
        ASSERT_EQ(table.valid(), plain.keys.size());
        const Column column = table.column();
        for (const auto& [row, key] : plain.keys) ASSERT_EQ(column.keys[row], key);
      }
      EXPECT_EQ(table.size(), row_count + 400);
      const Column valid = table.valid_column();
      EXPECT_TRUE(are_distinct(valid));
      ASSERT_EQ(valid.size(), plain.keys.size());
      expect_right_answers(valid, table.hits(lookup_count, 2));
      const Lookups all = table.hits_and_misses(lookup_count, 2);
      expect_right_answers(valid, all);
      const std::vector<std::uint64_t> expected = all.expected.to_host();
      EXPECT_GT(std::count(expected.begin(), expected.end(), miss_sum), 0);
    }
}

TEST(ChangingTables, NewKeysFollowTheirRule) {
  for (const int bits : {32, 64}) {
    const double all = std::ldexp(1.0, bits);
    const auto width_of = [&](NewKeys new_keys) {
      const ChangingTable table(*host_memory, {row_count, row_count, bits, new_keys}, 1);
      const std::vector<std::uint64_t> keys = table.next(Change::insert, row_count).keys.to_host();
      const auto [least, greatest] = std::minmax_element(keys.begin(), keys.end());
      return static_cast<double>(*greatest - *least) / all;
    };
    EXPECT_GT(width_of(NewKeys::anywhere), 0.95);
    EXPECT_NEAR(width_of(NewKeys::narrow), 1.0 / 256, 0.05 / 256);
  }
}

TEST(ChangingTables, LeaveUpdatedRowsToTheWriter) {
  ChangingTable table(*host_memory, {row_count}, 1);
  const Lookups before = table.hits_on_unchanged(lookup_count, 2);
  for (int batch = 0; batch < 5; ++batch) table.apply(table.next(Change::update, row_count / 10));
  expect_right_answers(table.column(), before);
}

TEST(ChangingTables, RejectSizesThatDoNotFit) {
  const ChangingTable table(*host_memory, {row_count, 10}, 1);
  EXPECT_THROW((void)table.next(Change::insert, 11), Error);
  EXPECT_THROW((void)table.next(Change::erase, row_count + 1), Error);
  EXPECT_THROW((void)table.next(Change::update, row_count + 1), Error);
  // Of 2^32 keys, 2^23 odd ones lie in the narrow part.
  const ChangingTable narrow(*host_memory, {4, (1U << 23) + 1, 32, NewKeys::narrow}, 1);
  EXPECT_THROW((void)narrow.next(Change::insert, (1U << 23) + 1), Error);
}

TEST(ChangingTables, ChangeIndexes) {
  for (const bool is_included : {false, true}) {
    ChangingTable table(*host_memory, {row_count, 200}, 1);
    const Column start = table.column();
    Index index = build(start.keys.view(), "sorted@cpu",
                        {.include = is_included ? view_of(start.values) : ColumnView()});
    for (const Change change : {Change::insert, Change::update, Change::erase}) {
      const RowBatch batch = table.next(change, 150);
      apply(batch, index);
      table.apply(batch);
    }
    EXPECT_EQ(index.size(), table.size());
    EXPECT_EQ(index.valid(), table.valid());
    const Column column = table.column();
    const Lookups lookups = table.hits_and_misses(lookup_count, 2);
    std::vector<std::uint64_t> sums(lookup_count);
    const ColumnView values = is_included ? ColumnView() : view_of(column.values);
    index.answer_into(Query::equal(lookups.lower.view()), {.values = values}, {.sum = sums.data()});
    EXPECT_EQ(sums, lookups.expected.to_host());
  }
}

}  // namespace
}  // namespace rtindex::bench
