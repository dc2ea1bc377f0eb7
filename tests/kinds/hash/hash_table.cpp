// The hash table at its worst: keys chosen so that their hashes crowd one end of the table.

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "kinds/hash/hash_table.hpp"
#include "support/index_bytes.hpp"

namespace rtindex {
namespace {

template <class Key>
class HashTables : public testing::Test {};
using KeyTypes = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(HashTables, KeyTypes);

template <class Key>
constexpr Key greatest = std::numeric_limits<Key>::max();

// The column that is built begins with the key 0 and ends with the greatest one, so that keys are
// stored as they are: the column's minimum is subtracted, and its span decides on the width.
template <class Key>
void expect_exact(std::vector<Key> column, std::vector<Key> lookups) {
  column.insert(column.begin(), Key{0});
  column.push_back(greatest<Key>);
  std::map<Key, std::uint32_t> counts;
  for (const Key key : column) ++counts[key];
  for (const auto& [key, count] : counts) lookups.push_back(key);
  const Index index = build(column, "hash");
  const Answers answers = index.lookup(lookups, Answer::count | Answer::any);
  for (std::size_t i = 0; i < lookups.size(); ++i) {
    const auto found = counts.find(lookups[i]);
    const std::uint32_t expected = found == counts.end() ? 0 : found->second;
    ASSERT_EQ(answers.count()[i], expected) << "key " << lookups[i];
    if (expected == 0)
      ASSERT_EQ(answers.any()[i], miss_row);
    else
      ASSERT_EQ(column[answers.any()[i]], lookups[i]);
  }
}

TYPED_TEST(HashTables, MixIsUndone) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    const auto key = static_cast<TypeParam>(random());
    ASSERT_EQ(unmix(mix(key)), key);
  }
  EXPECT_EQ(unmix(mix(greatest<TypeParam>)), greatest<TypeParam>);
  EXPECT_EQ(unmix(mix(TypeParam{0})), TypeParam{0});
}

TYPED_TEST(HashTables, HomesAscendAndStayInside) {
  // The last is what 2^32 - 1 distinct keys need.
  for (const std::uint64_t capacity : {1ULL, 2ULL, 1000ULL, (1ULL << 32) + 1, 5368709119ULL}) {
    EXPECT_EQ(home_slot(TypeParam{0}, capacity), 0U);
    EXPECT_LT(home_slot(greatest<TypeParam>, capacity), capacity);
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i <= 1000; ++i) {
      const auto hash = static_cast<TypeParam>(greatest<TypeParam> / 1000 * i);
      ASSERT_GE(home_slot(hash, capacity), last);
      last = home_slot(hash, capacity);
    }
    EXPECT_GE(last, capacity - capacity / 100 - 1);
  }
}

TYPED_TEST(HashTables, FilterNeverHidesWhatWasAdded) {
  std::mt19937_64 random(2);
  HashFilter<TypeParam> filter(1000);
  std::vector<TypeParam> added = {0, greatest<TypeParam>};
  while (added.size() < 1000) added.push_back(static_cast<TypeParam>(random()));
  for (const TypeParam hash : added) filter.add(hash);
  for (const TypeParam hash : added) EXPECT_TRUE(filter.may_hold(hash));
  int passed = 0;
  for (int i = 0; i < 10000; ++i)
    passed += filter.may_hold(static_cast<TypeParam>(random())) ? 1 : 0;
  EXPECT_LT(passed, 1000) << "a filter that lets everything pass is of no use";
}

TYPED_TEST(HashTables, HashesAtTheEnd) {
  std::vector<TypeParam> column;
  std::vector<TypeParam> others;
  for (TypeParam i = 0; i < 3000; ++i) {
    const TypeParam key = unmix(static_cast<TypeParam>(greatest<TypeParam> - i));
    (i % 3 == 0 ? others : column).push_back(key);
  }
  expect_exact(column, others);  // the greatest hash is not in the table
  expect_exact(others, column);  // now it is
}

TYPED_TEST(HashTables, HashesAtTheStart) {
  std::vector<TypeParam> column;
  std::vector<TypeParam> others;
  for (TypeParam i = 0; i < 3000; ++i) (i % 2 == 0 ? others : column).push_back(unmix(i));
  expect_exact(column, others);
  expect_exact(others, column);
}

TYPED_TEST(HashTables, OneCrowdedPlaceWithDuplicates) {
  std::vector<TypeParam> column;
  std::vector<TypeParam> others;
  const TypeParam middle = greatest<TypeParam> / 2;
  for (TypeParam i = 0; i < 2000; ++i) {
    const TypeParam key = unmix(static_cast<TypeParam>(middle + i));
    if (i % 2 == 0)
      others.push_back(key);
    else
      column.insert(column.end(), 1 + i % 5, key);
  }
  expect_exact(column, others);
}

// A million keys whose hashes have one home: each is found in a few steps.
TYPED_TEST(HashTables, CollidingKeysTakeLogarithmicWork) {
  constexpr std::uint64_t slots = 1 << 20;
  for (const std::uint64_t wanted :
       std::vector<std::uint64_t>{0, 31, 32, 1000, slots / 2, slots - 1}) {
    std::uint64_t read = 0;
    const std::uint64_t found =
        find_slot(0, slots, static_cast<TypeParam>(wanted), [&](std::uint64_t slot) {
          ++read;
          return static_cast<TypeParam>(slot);
        });
    EXPECT_EQ(found, wanted);
    EXPECT_LE(read, 32U + 3 + 20);
  }
}

TYPED_TEST(HashTables, NeighboursOfEveryKey) {
  std::mt19937_64 random(3);
  std::vector<TypeParam> column(20000);
  for (TypeParam& key : column) key = static_cast<TypeParam>(random());
  std::vector<TypeParam> near;
  for (const TypeParam key : column)
    for (const int step : {-1, 1}) near.push_back(unmix(static_cast<TypeParam>(mix(key) + step)));
  expect_exact(column, near);
}

TYPED_TEST(HashTables, Empty) {
  const Index index = build(std::vector<TypeParam>{}, "hash");
  const Answers answers = index.lookup(std::vector<TypeParam>{0, 1, greatest<TypeParam>});
  for (const std::uint32_t row : answers.any()) EXPECT_EQ(row, miss_row);
}

// An index that is built later hashes differently, so no one can prepare strings that collide in
// it.
TEST(HashesOfStrings, HaveASeedForEachIndex) {
  std::vector<std::string> keys;
  std::mt19937_64 random(3);
  for (int i = 0; i < 50; ++i) {
    keys.emplace_back();
    for (int letters = 0; letters < 40; ++letters)
      keys.back() += static_cast<char>(' ' + random() % 90);
  }
  const auto seed = [&] {
    const test::IndexBytes file(build(keys, "hash@cpu").serialize());
    return file.header().numbers.at("segment0.codec.hash_seed");
  };
  EXPECT_NE(seed(), seed());
}

}  // namespace
}  // namespace rtindex
