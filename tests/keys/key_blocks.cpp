#include "keys/cuda/key_blocks.hpp"

#include <gtest/gtest.h>

#include <set>

namespace rtindex::test {
namespace {

using cuda::KeyBlocks;

TEST(KeyBlocks, KeepKeyAndRowOfAPositionInOneBlock) {
  std::set<std::size_t> used;  // units of 4 bytes
  for (std::uint32_t position = 0; position < 1000; ++position) {
    const std::size_t key = KeyBlocks::key_at(position);
    const std::size_t row = KeyBlocks::row_at(position);
    EXPECT_EQ(key / KeyBlocks::words, row / (2 * KeyBlocks::words)) << position;
    EXPECT_TRUE(used.insert(2 * key).second) << position;
    EXPECT_TRUE(used.insert(2 * key + 1).second) << position;
    EXPECT_TRUE(used.insert(row).second) << position;
    EXPECT_LT(key, KeyBlocks::words_for(position + 1));
    EXPECT_LT(row, 2 * KeyBlocks::words_for(position + 1));
  }
}

TEST(KeyBlocks, HoldTheLastPositionOfAnIndex) {
  EXPECT_EQ(KeyBlocks::key_at(0xfffffffeU), std::size_t{0xfffffffeU} / 5 * 8 + 0xfffffffeU % 5);
}

}  // namespace
}  // namespace rtindex::test
