#include "kinds/scene/row_directory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/random.hpp"

namespace rtindex::test {
namespace {

EncodedColumn encoded_column_of(const std::vector<std::uint64_t>& keys) {
  EncodedColumn column;
  column.row_count = keys.size();
  for (const std::uint64_t key : keys) column.span = std::max(column.span, key);
  column.keys = PackedKeys(keys.size(), column.span);
  for (std::size_t i = 0; i < keys.size(); ++i) column.keys.set(i, keys[i]);
  return column;
}

// Over several blocks, so that runs are merged.
TEST(RowDirectory, ListsEveryOccupiedRowOnce) {
  for (const int bits : {64, 30, 20}) {
    for (const std::size_t size : {1U, 65536U, 65537U, 200000U}) {
      Random random(size + static_cast<std::size_t>(bits));
      std::vector<std::uint64_t> keys(size);
      for (std::uint64_t& key : keys) key = random.bits() >> (64 - bits);
      for (const int bits_x : {0, 10, 23}) {
        const Coordinates coordinates{KeyMode::three_d, bits_x, 23, 23, 1};
        std::vector<std::uint64_t> wanted;
        for (const std::uint64_t key : keys) wanted.push_back(key >> bits_x);
        std::sort(wanted.begin(), wanted.end());
        wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
        const RowDirectory directory(coordinates, encoded_column_of(keys));
        ASSERT_EQ(directory.size(), wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_EQ(directory[i], wanted[i]);
      }
    }
  }
}

TEST(RowDirectory, FindsTheFirstRowThatIsNotBefore) {
  const Coordinates coordinates{KeyMode::three_d, 4, 23, 23, 1};
  const RowDirectory directory(
      coordinates, encoded_column_of({16UL * 3, 16UL * 3 + 5, 16UL * 9, 16UL * 10 + 1}));
  ASSERT_EQ(directory.size(), 3U);
  EXPECT_EQ(directory.find(0), 0U);
  EXPECT_EQ(directory.find(3), 0U);
  EXPECT_EQ(directory.find(4), 1U);
  EXPECT_EQ(directory.find(10), 2U);
  EXPECT_EQ(directory.find(11), 3U);
  EXPECT_GT(directory.bytes(), 0U);
}

TEST(RowDirectory, OfNothingIsEmpty) {
  const RowDirectory directory(Coordinates{}, encoded_column_of({}));
  EXPECT_EQ(directory.size(), 0U);
  EXPECT_EQ(directory.find(5), 0U);
}

}  // namespace
}  // namespace rtindex::test
