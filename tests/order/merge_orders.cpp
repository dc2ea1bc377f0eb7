// Columns in key order merged into one, against a sort of all their rows.

#include "order/merge_orders.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "rows/row_bitmap.hpp"
#include "support/deleted_rows.hpp"
#include "support/random.hpp"

namespace rtindex::test {
namespace {

// Large enough for several blocks of a merge, and for one that ends within another.
constexpr std::size_t column_sizes[] = {100'000, 70'001, 5, 0};

// A column in key order; the rows of all columns differ.
template <class StoredKey>
std::vector<Pair<StoredKey>> sorted_column(Random& random, std::size_t size, std::uint64_t keys,
                                           std::uint32_t first_row) {
  std::vector<StoredKey> all(size);
  for (StoredKey& key : all) key = static_cast<StoredKey>(random.bits() % keys);
  std::sort(all.begin(), all.end());
  std::vector<Pair<StoredKey>> pairs;
  for (const StoredKey key : all)
    pairs.push_back({key, first_row + static_cast<std::uint32_t>(pairs.size())});
  return pairs;
}

template <class Key, class StoredKey>
void expect_merged(std::uint64_t keys, std::uint64_t shift, const std::string& deleted_rows) {
  SCOPED_TRACE(std::to_string(keys) + " keys, deleted rows: " + deleted_rows);
  Random random(12);
  std::vector<std::vector<Pair<StoredKey>>> columns;
  std::size_t rows = 0;
  for (const std::size_t size : column_sizes) {
    columns.push_back(
        sorted_column<StoredKey>(random, size, keys, static_cast<std::uint32_t>(rows)));
    rows += size;
  }
  const DeletedRows deleted = deleted_rows_named(deleted_rows, rows);
  std::vector<OrderInput> inputs;
  std::vector<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>> wanted;  // key, row, source
  std::uint32_t source = 0;
  for (const std::vector<Pair<StoredKey>>& column : columns) {
    const std::uint64_t own_shift = shift * inputs.size();
    inputs.push_back({.pairs = column.data(),
                      .is_wide = sizeof(StoredKey) == sizeof(std::uint64_t),
                      .size = column.size(),
                      .shift = own_shift,
                      .deleted = deleted.bits()});
    for (const Pair<StoredKey>& pair : column) {
      if (!deleted.has(pair.row)) wanted.emplace_back(pair.key + own_shift, pair.row, source);
      ++source;
    }
  }
  std::sort(wanted.begin(), wanted.end());
  for (const bool wants_sources : {false, true}) {
    const MergedOrders<Key> merged = merge_orders<Key>(inputs, 16, wants_sources);
    ASSERT_EQ(merged.arrays.size, wanted.size());
    const bool has_rows = merged.arrays.layout() == OrderLayout::pairs;
    ASSERT_GE(has_rows ? merged.arrays.pairs.size() : merged.arrays.keys.size(),
              wanted.size() + 16);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto [key, row, from] = wanted[i];
      ASSERT_EQ(has_rows ? std::uint64_t{merged.arrays.pairs[i].key} : merged.arrays.keys[i], key)
          << i;
      ASSERT_EQ(has_rows ? merged.arrays.pairs[i].row : merged.arrays.first_row + i, row) << i;
      if (wants_sources) {
        ASSERT_EQ(merged.sources[i], from) << i;
      }
    }
  }
}

TEST(MergeOrders, ReturnsAllValidRowsInOrder) {
  for (const std::string deleted : {"none", "few", "half", "most", "all"}) {
    expect_merged<std::uint32_t, std::uint32_t>(1'000'000, 100'000, deleted);
    expect_merged<std::uint64_t, std::uint32_t>(1'000'000, std::uint64_t{1} << 33, deleted);
    expect_merged<std::uint64_t, std::uint64_t>(std::uint64_t{1} << 60, 0, deleted);
  }
}

TEST(MergeOrders, ReturnsRowsOfEqualKeysInOrder) {
  expect_merged<std::uint32_t, std::uint32_t>(1, 0, "none");
  expect_merged<std::uint32_t, std::uint32_t>(50, 1, "few");
}

// Inputs without rowIDs: their keys, and their first row.
struct Sorted {
  std::vector<std::uint32_t> keys;
  std::uint32_t first_row;
  std::uint64_t shift = 0;
};

void expect_sorted_merge(const std::vector<Sorted>& columns, const std::vector<std::uint32_t>& rows,
                         OrderLayout layout) {
  RowBitmapBuilder builder(100);
  for (const std::uint32_t row : rows) builder.add(row);
  const RowBitmapPtr deleted = std::move(builder).finish();
  std::vector<OrderInput> inputs;
  std::vector<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>> wanted;  // key, row, source
  std::uint32_t source = 0;
  for (const Sorted& column : columns) {
    bool is_sequence = true;
    for (std::size_t i = 0; i < column.keys.size(); ++i) {
      const std::uint32_t row = column.first_row + static_cast<std::uint32_t>(i);
      if (std::find(rows.begin(), rows.end(), row) == rows.end())
        wanted.emplace_back(column.keys[i] + column.shift, row, source);
      ++source;
      is_sequence = is_sequence && column.keys[i] == column.keys[0] + i;
    }
    inputs.push_back({.keys = is_sequence ? nullptr : column.keys.data(),
                      .first_key = column.keys.empty() ? 0 : column.keys[0],
                      .first_row = column.first_row,
                      .size = column.keys.size(),
                      .shift = column.shift,
                      .deleted = bits_of(deleted)});
  }
  std::sort(wanted.begin(), wanted.end());
  for (const bool wants_sources : {false, true}) {
    const MergedOrders<std::uint64_t> merged =
        merge_orders<std::uint64_t>(inputs, 16, wants_sources);
    const OrderArrays<std::uint64_t>& arrays = merged.arrays;
    ASSERT_EQ(arrays.layout(), layout);
    ASSERT_EQ(arrays.size, wanted.size());
    if (layout == OrderLayout::keys) {
      ASSERT_GE(arrays.keys.size(), arrays.size + 16);
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto [key, row, from] = wanted[i];
      if (layout == OrderLayout::pairs) {
        ASSERT_EQ(std::uint64_t{arrays.pairs[i].key}, key);
        ASSERT_EQ(std::uint32_t{arrays.pairs[i].row}, row);
      } else {
        ASSERT_EQ(layout == OrderLayout::keys ? arrays.keys[i] : arrays.first_key + i, key);
        ASSERT_EQ(arrays.first_row + i, row);
      }
      if (wants_sources) {
        ASSERT_EQ(merged.sources[i], from);
      }
    }
  }
}

TEST(MergeOrders, ConcatenatesWhatFollows) {
  expect_sorted_merge({{{4, 5, 6}, 10}, {{7, 8}, 13}}, {}, OrderLayout::sequence);
  expect_sorted_merge({{{4, 5, 6}, 10}, {{0, 1}, 13, 7}}, {}, OrderLayout::sequence);
  expect_sorted_merge({{{4, 5, 6}, 10}, {{6, 8}, 13}}, {}, OrderLayout::keys);
  expect_sorted_merge({{{4, 5, 6}, 10}, {{6}, 13}}, {}, OrderLayout::keys);
  expect_sorted_merge({{{4, 5, 6}, 10}, {{9}, 13}, {{}, 14}, {{9, 9}, 14}}, {}, OrderLayout::keys);
  expect_sorted_merge({{{4, 9}, 0}, {{10}, 2}, {{11, 12}, 3}}, {}, OrderLayout::keys);
  expect_sorted_merge({}, {}, OrderLayout::sequence);
  expect_sorted_merge({{{}, 0}, {{}, 0}}, {}, OrderLayout::sequence);
}

TEST(MergeOrders, ConcatenatesWithoutDeletedEnds) {
  expect_sorted_merge({{{4, 5, 6}, 10}}, {10}, OrderLayout::sequence);
  expect_sorted_merge({{{4, 5, 6}, 10}, {{7, 8}, 13}}, {10, 11, 14}, OrderLayout::sequence);
  expect_sorted_merge({{{4, 6, 9}, 10}, {{9, 11, 11}, 13}}, {10, 15}, OrderLayout::keys);
  expect_sorted_merge({{{4, 5}, 10}, {{7, 8}, 12}}, {10, 11, 12, 13}, OrderLayout::sequence);
}

TEST(MergeOrders, ReturnsRowIDsWhereRowsDoNotFollow) {
  expect_sorted_merge({{{4, 5, 6}, 10}}, {11}, OrderLayout::pairs);
  expect_sorted_merge({{{4, 5, 6}, 10}, {{7, 8}, 14}}, {}, OrderLayout::pairs);
  expect_sorted_merge({{{4, 5, 6}, 10}, {{7, 8}, 13}}, {12}, OrderLayout::pairs);
  expect_sorted_merge({{{4, 5, 6}, 10}, {{5, 8}, 13}}, {}, OrderLayout::pairs);
  expect_sorted_merge({{{4, 5, 6}, 10}, {{2, 3}, 13}}, {}, OrderLayout::pairs);
}

// As after new values for row 11: it moved to a column of its own.
TEST(MergeOrders, DropsRowIDsOnceRowsFollowAgain) {
  expect_sorted_merge({{{4, 5}, 12}, {{2, 3}, 10}}, {}, OrderLayout::sequence);
  expect_sorted_merge({{{4, 9}, 12}, {{2, 3}, 10}}, {}, OrderLayout::keys);
}

}  // namespace
}  // namespace rtindex::test
