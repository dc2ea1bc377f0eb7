// Keys in order, with their rows.

#include "order/key_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <rtindex/error.hpp>

#include "file/index_file.hpp"
#include "keys/codec.hpp"

namespace rtindex::test {
namespace {

// Sorting takes a second copy of the pairs.
TEST(KeyOrder, NeedsTheColumnAndTwoCopiesOfThePairsDuringTheBuild) {
  std::vector<std::uint32_t> keys;
  for (std::uint32_t i = 0; i < 5000; ++i) keys.push_back(i * 7919 % 5003);
  const ColumnView view(keys);
  const auto codec = KeyCodec::for_column(view);
  const EncodedColumn encoded = codec->encode(view);
  const KeyOrder<std::uint32_t> order(encoded, *codec);
  EXPECT_EQ(order.build_peak(), encoded.bytes() + 2 * order.bytes());
  EXPECT_GE(order.bytes(), keys.size() * sizeof(Pair<std::uint32_t>));
}

// Keys in order that come from a file, for an index of so many rows with keys up to `span`.
KeyOrder<std::uint32_t> saved_order(const std::vector<Pair<std::uint32_t>>& pairs, std::size_t rows,
                                    std::uint64_t span) {
  using Order = KeyOrder<std::uint32_t>;
  Array<Pair<std::uint32_t>> padded(pairs.size() + Order::padding);
  std::copy(pairs.begin(), pairs.end(), padded.begin());
  std::fill_n(padded.begin() + pairs.size(), Order::padding,
              Pair<std::uint32_t>{std::numeric_limits<std::uint32_t>::max(), miss_row});
  Stored written;
  FileWriter writer(written);
  writer.number("keys", pairs.size());
  writer.number("build_peak", 0);
  writer.array("pairs", std::move(padded));
  const Stored read = read_index_bytes(write_index_bytes(written), Verify::full);
  return {FileReader(read), rows, span};
}

template <class Key>
KeyOrder<Key> order_of(const ColumnView& column) {
  const auto codec = KeyCodec::for_column(column);
  return {codec->encode(column), *codec};
}

// The keys and rows in order are those of the column, whatever is stored.
void expect_order(const std::vector<std::uint32_t>& keys, OrderLayout layout) {
  const KeyOrder<std::uint32_t> order = order_of<std::uint32_t>(keys);
  ASSERT_EQ(order.layout(), layout);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted;
  for (const std::uint32_t key : keys)
    sorted.emplace_back(key, static_cast<std::uint32_t>(sorted.size()));
  std::sort(sorted.begin(), sorted.end());
  ASSERT_EQ(order.size(), keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(order.key(i), sorted[i].first - sorted[0].first) << i;
    ASSERT_EQ(order.rows()[i], sorted[i].second) << i;
  }
  const EncodedColumn column = order.column();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(column.keys[i], keys[i] - sorted[0].first) << i;
    ASSERT_EQ(column.row(i), i);
  }
}

TEST(KeyOrder, StoresNoRowsOfASortedColumn) {
  std::vector<std::uint32_t> keys(200'000);
  for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = 50 + i / 3 * 7;
  expect_order(keys, OrderLayout::keys);
  const KeyOrder<std::uint32_t> order = order_of<std::uint32_t>(keys);
  EXPECT_EQ(order.bytes(), (keys.size() + order.padding) * sizeof(std::uint32_t));
  EXPECT_EQ(order.build_peak(), keys.size() * sizeof(std::uint32_t) + order.bytes());
  // One key out of order, at the ends of what one thread tests, and elsewhere.
  for (const std::size_t at : {1, 1023, 1024, 1025, 32767, 32768, 32769, 70'000, 199'999}) {
    std::vector<std::uint32_t> other = keys;
    other[at] = 49;
    expect_order(other, OrderLayout::pairs);
  }
}

TEST(KeyOrder, StoresNothingOfASequence) {
  std::vector<std::uint32_t> keys(100'000);
  std::iota(keys.begin(), keys.end(), 4'000'000'000U);
  expect_order(keys, OrderLayout::sequence);
  EXPECT_EQ(order_of<std::uint32_t>(keys).bytes(), 0U);
  for (const std::size_t at : {1, 32768, 99'999}) {
    std::vector<std::uint32_t> other = keys;
    other[at] -= 1;
    expect_order(other, OrderLayout::keys);
  }
  expect_order({}, OrderLayout::sequence);
  expect_order({7}, OrderLayout::sequence);
  expect_order({7, 7}, OrderLayout::keys);
  expect_order({7, 6}, OrderLayout::pairs);
}

TEST(KeyOrder, StoresRowsWhereOneIsMissing) {
  const std::vector<std::uint64_t> keys = {5, 6, 7, 8, 9};
  const auto layout = [&](std::uint8_t validity) {
    return order_of<std::uint32_t>(ColumnView(keys).with_validity(&validity)).layout();
  };
  EXPECT_EQ(layout(0b11111), OrderLayout::sequence);
  EXPECT_EQ(layout(0b01110), OrderLayout::sequence);
  EXPECT_EQ(layout(0b11011), OrderLayout::pairs);
}

TEST(KeyOrder, FindsTheBoundsOfKeysInASequence) {
  const std::vector<std::uint32_t> column = {30, 31, 32};
  const KeyOrder<std::uint32_t> order = order_of<std::uint32_t>(column);
  const std::uint32_t keys[] = {0, 1, 2, 3, 4, std::numeric_limits<std::uint32_t>::max()};
  std::uint32_t at[6];
  order.subtract(keys, 6, at);
  for (std::uint32_t i = 0; i < 6; ++i) EXPECT_EQ(at[i], std::min(i, 3U));
}

// An order in a file that has no rowIDs: of `size` keys, those of the array or a sequence.
KeyOrder<std::uint32_t> saved_without_rows(const std::vector<std::uint32_t>& keys, std::size_t size,
                                           std::uint64_t first_row, std::uint64_t first_key,
                                           std::size_t rows, std::uint64_t span) {
  Stored written;
  FileWriter writer(written);
  writer.number("keys", size);
  writer.number("build_peak", 0);
  writer.number("first_row", first_row);
  writer.number("first_key", first_key);
  if (!keys.empty()) {
    Array<std::uint32_t> copied(keys.size());
    std::copy(keys.begin(), keys.end(), copied.begin());
    writer.array("sorted_keys", std::move(copied));
  }
  const Stored read = read_index_bytes(write_index_bytes(written), Verify::full);
  return {FileReader(read), rows, span};
}

TEST(KeyOrder, RejectsDamagedFilesWithoutRows) {
  const auto sequence = [](std::size_t size, std::uint64_t first_row, std::uint64_t first_key) {
    return saved_without_rows({}, size, first_row, first_key, 10, 20);
  };
  EXPECT_EQ(sequence(3, 7, 18).key(2), 20U);
  EXPECT_EQ(sequence(3, 7, 18).rows()[2], 9U);
  EXPECT_THROW(sequence(3, 8, 18), Error) << "a row too many";
  EXPECT_THROW(sequence(3, 7, 19), Error) << "a key above the greatest";
  EXPECT_THROW(sequence(11, 0, 0), Error) << "more keys than rows";
  EXPECT_THROW(saved_without_rows({}, 10, 0, 0, 10, 8), Error) << "more keys than the span holds";

  constexpr std::uint32_t greatest = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> keys(2 + KeyOrder<std::uint32_t>::padding, greatest);
  const auto sorted = [&](std::uint32_t first, std::uint32_t second) {
    keys[0] = first;
    keys[1] = second;
    return saved_without_rows(keys, 2, 8, 0, 10, 20);
  };
  EXPECT_EQ(sorted(3, 3).input().size, 2U);
  EXPECT_THROW(static_cast<void>(sorted(4, 3).input()), Error) << "keys that descend";
  EXPECT_THROW(static_cast<void>(sorted(4, 21).input()), Error) << "a key above the greatest";
  EXPECT_THROW(static_cast<void>(sorted(4, 21).column()), Error) << "a key above the greatest";
  EXPECT_THROW(saved_without_rows(keys, 3, 0, 0, 10, 20), Error) << "an array too short";
  keys.back() = 5;
  EXPECT_THROW(sorted(3, 4), Error) << "wrong padding";
}

TEST(KeyOrder, RejectsMergingADamagedFile) {
  EXPECT_EQ(saved_order({{0, 1}, {4, 0}, {4, 2}}, 3, 4).input().size, 3U);
  EXPECT_EQ(saved_order({}, 3, 0).input().size, 0U);
  EXPECT_THROW(static_cast<void>(saved_order({{0, 1}, {4, 0}, {4, 2}}, 3, 3).input()), Error)
      << "a key above the greatest";
  EXPECT_THROW(static_cast<void>(saved_order({{0, 1}, {4, 0}, {4, 2}}, 2, 4).input()), Error)
      << "a row too many";
  EXPECT_THROW(static_cast<void>(saved_order({{4, 1}, {0, 0}, {4, 2}}, 3, 4).input()), Error)
      << "keys that descend";
  EXPECT_THROW(static_cast<void>(saved_order({{0, 1}, {4, 2}, {4, 0}}, 3, 4).input()), Error)
      << "rows of a key that descend";
}

}  // namespace
}  // namespace rtindex::test
