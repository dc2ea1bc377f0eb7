// Keys in order, with their rows.

#include "order/key_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
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
