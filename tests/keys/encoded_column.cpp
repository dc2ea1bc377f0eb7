#include "keys/encoded_column.hpp"

#include <gtest/gtest.h>

namespace rtindex {
namespace {

TEST(PackedKeys, HaveFourBytesWhereTheLargestFits) {
  for (const std::uint64_t largest : {std::uint64_t{0}, std::uint64_t{0xffffffff},
                                      std::uint64_t{0x100000000}, ~std::uint64_t{0}}) {
    PackedKeys keys(3, largest);
    const bool wide = largest > 0xffffffffU;
    EXPECT_EQ(keys.wide(), wide);
    EXPECT_EQ(keys.size(), 3U);
    EXPECT_EQ(keys.bytes(), wide ? 24U : 12U);
    keys.set(0, largest);
    keys.set(1, 0);
    keys.set(2, largest / 2);
    EXPECT_EQ(keys[0], largest);
    EXPECT_EQ(keys[1], 0U);
    EXPECT_EQ(keys[2], largest / 2);
  }
}

TEST(PackedKeys, CanBeEmpty) {
  EXPECT_EQ(PackedKeys().size(), 0U);
  EXPECT_EQ(PackedKeys(0, ~std::uint64_t{0}).size(), 0U);
}

TEST(EncodedColumn, NumbersRowsByPositionWithoutNulls) {
  EncodedColumn column;
  column.keys = PackedKeys(2, 9);
  column.row_count = 2;
  EXPECT_EQ(column.row(1), 1U);
  column.rows = Array<std::uint32_t>(2);
  column.rows[0] = 4;
  column.rows[1] = 7;
  EXPECT_EQ(column.row(1), 7U);
  EXPECT_EQ(column.bytes(), 16U);
}

}  // namespace
}  // namespace rtindex
