// The binary search of 16 lookups in step: columns around powers of two, which are halved to
// nothing.

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "support/lower_bounds.hpp"

namespace rtindex::test {
namespace {

template <class Key>
class BinarySearch : public testing::Test {};
using BinarySearchKeys = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(BinarySearch, BinarySearchKeys);

TYPED_TEST(BinarySearch, FindsLowerBoundsInColumnsOfEverySize) {
  for (const std::size_t size : {0, 1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 255, 256, 257})
    expect_lower_bounds_in_both_layouts(spread_keys<TypeParam>(size), "sorted@cpu");
}

TYPED_TEST(BinarySearch, FindsTheFirstOfEqualKeys) {
  constexpr TypeParam greatest = std::numeric_limits<TypeParam>::max();
  for (const std::size_t copies : {2, 15, 16, 17, 40, 300}) {
    std::vector<TypeParam> keys;
    for (const TypeParam key : {TypeParam{0}, TypeParam{7}, TypeParam{8}, TypeParam{900}, greatest})
      keys.insert(keys.end(), copies, key);
    expect_lower_bounds_in_both_layouts(keys, "sorted@cpu");
  }
}

TYPED_TEST(BinarySearch, FindsKeysAtBothEndsOfTheType) {
  constexpr TypeParam greatest = std::numeric_limits<TypeParam>::max();
  expect_lower_bounds<TypeParam>({0}, "sorted@cpu");
  expect_lower_bounds<TypeParam>({greatest}, "sorted@cpu");
  expect_lower_bounds<TypeParam>({greatest, 0}, "sorted@cpu");
  expect_lower_bounds<TypeParam>(std::vector<TypeParam>(100, greatest), "sorted@cpu");
}

TYPED_TEST(BinarySearch, FindsNothingInAnEmptyColumn) {
  expect_lower_bounds<TypeParam>({}, "sorted@cpu");
}

}  // namespace
}  // namespace rtindex::test
