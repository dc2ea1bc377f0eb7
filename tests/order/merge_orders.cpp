// Columns in key order merged into one, against a sort of all their rows.

#include "order/merge_orders.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

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
    ASSERT_EQ(merged.size, wanted.size());
    ASSERT_GE(merged.pairs.size(), merged.size + 16);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto [key, row, from] = wanted[i];
      ASSERT_EQ(std::uint64_t{merged.pairs[i].key}, key) << i;
      ASSERT_EQ(std::uint32_t{merged.pairs[i].row}, row) << i;
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

}  // namespace
}  // namespace rtindex::test
