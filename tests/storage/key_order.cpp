// Keys in order, with their rows.

#include "storage/key_order.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "keys/codec.hpp"

namespace rtindex::test {
namespace {

// Sorting takes a second copy of the pairs.
TEST(KeyOrder, TakesTheColumnAndTwoCopiesOfThePairsWhileItIsBuilt) {
  std::vector<std::uint32_t> keys;
  for (std::uint32_t i = 0; i < 5000; ++i) keys.push_back(i * 7919 % 5003);
  const ColumnView view(keys);
  const auto codec = KeyCodec::for_column(view);
  const EncodedColumn encoded = codec->encode(view);
  const KeyOrder<std::uint32_t> order(encoded, *codec);
  EXPECT_EQ(order.build_peak(), encoded.bytes() + 2 * order.bytes());
  EXPECT_GE(order.bytes(), keys.size() * sizeof(Pair<std::uint32_t>));
}

}  // namespace
}  // namespace rtindex::test
