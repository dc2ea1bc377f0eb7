// The B+-tree where leaves of 16 keys and nodes of 8 or 16 children are full, or begin a new one.

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "support/lower_bounds.hpp"

namespace rtindex::test {
namespace {

template <class Key>
class BPlusTree : public testing::Test {};
using BPlusTreeKeys = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(BPlusTree, BPlusTreeKeys);

TYPED_TEST(BPlusTree, FindsLowerBoundsInColumnsOfEverySize) {
  for (const std::size_t size :
       {0, 1, 15, 16, 17, 127, 128, 129, 255, 256, 257, 1023, 1024, 1025, 2049})
    expect_lower_bounds_in_both_layouts(spread_keys<TypeParam>(size), "btree@cpu");
}

TYPED_TEST(BPlusTree, FindsTheFirstOfEqualKeys) {
  constexpr TypeParam greatest = std::numeric_limits<TypeParam>::max();
  for (const std::size_t copies : {2, 15, 16, 17, 40, 300}) {
    std::vector<TypeParam> keys;
    for (const TypeParam key : {TypeParam{0}, TypeParam{7}, TypeParam{8}, TypeParam{900}, greatest})
      keys.insert(keys.end(), copies, key);
    expect_lower_bounds_in_both_layouts(keys, "btree@cpu");
  }
}

TYPED_TEST(BPlusTree, FindsKeysAtBothEndsOfTheType) {
  constexpr TypeParam greatest = std::numeric_limits<TypeParam>::max();
  expect_lower_bounds<TypeParam>({0}, "btree@cpu");
  expect_lower_bounds<TypeParam>({greatest}, "btree@cpu");
  expect_lower_bounds<TypeParam>({greatest, 0}, "btree@cpu");
  expect_lower_bounds<TypeParam>(std::vector<TypeParam>(100, greatest), "btree@cpu");
}

TYPED_TEST(BPlusTree, FindsNothingInAnEmptyColumn) {
  expect_lower_bounds<TypeParam>({}, "btree@cpu");
}

}  // namespace
}  // namespace rtindex::test
