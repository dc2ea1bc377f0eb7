// The hash table on a GPU: columns with a few repeated keys, keys whose hashes agree in many bits
// or crowd one end of the table, and changes of repeated keys; against the sorted array on the CPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "order/mix.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/random.hpp"

namespace rtindex::test {
namespace {

template <class Key>
class DeviceHash : public NeedsGpu<testing::Test> {
 protected:
  static constexpr Key greatest = std::numeric_limits<Key>::max();

  static std::vector<Key> random_keys(std::size_t count) {
    Random random(7);
    std::vector<Key> keys(count);
    for (Key& key : keys) key = static_cast<Key>(random.bits());
    return keys;
  }

  // Every key, and those beside it.
  static std::vector<Key> lookups_of(const std::vector<Key>& keys) {
    std::vector<Key> wanted;
    for (const Key key : keys)
      wanted.insert(wanted.end(),
                    {key, static_cast<Key>(key - 1), static_cast<Key>(key + 1), mix(key)});
    return wanted;
  }

  static void expect_alike(const Index& index, const Index& expected, const std::vector<Key>& keys,
                           const std::vector<std::uint32_t>& values) {
    const std::vector<Key> wanted = lookups_of(keys);
    const AnswerOptions all{
        .answers = Answer::any | Answer::first | Answer::count | Answer::sum | Answer::rows,
        .values = values,
        .matched = true};
    const Answers found = index.lookup(wanted, all);
    const Answers right = expected.lookup(wanted, all);
    // One kernel answers these without all rows of a key.
    const Answers any = index.lookup(wanted, {.answers = Answer::any, .matched = true});
    const Answers both = index.lookup(wanted, Answer::any | Answer::first);
    const auto& sums = std::get<std::vector<std::uint64_t>>(found.sum());
    const auto& right_sums = std::get<std::vector<std::uint64_t>>(right.sum());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(found.first()[i], right.first()[i]) << wanted[i];
      ASSERT_EQ(found.count()[i], right.count()[i]) << wanted[i];
      ASSERT_EQ(sums[i], right_sums[i]) << wanted[i];
      ASSERT_EQ(found.matched(i), right.matched(i)) << wanted[i];
      std::vector<std::uint32_t> rows(found.rows(i).begin(), found.rows(i).end());
      std::vector<std::uint32_t> right_rows(right.rows(i).begin(), right.rows(i).end());
      std::sort(rows.begin(), rows.end());
      std::sort(right_rows.begin(), right_rows.end());
      ASSERT_EQ(rows, right_rows) << wanted[i];
      ASSERT_EQ(both.first()[i], right.first()[i]) << wanted[i];
      for (const std::uint32_t row : {found.any()[i], any.any()[i], both.any()[i]})
        ASSERT_TRUE(right_rows.empty()
                        ? row == miss_row
                        : std::binary_search(right_rows.begin(), right_rows.end(), row))
            << wanted[i];
    }
  }

  // A key as the codec makes it has this hash, if the smallest key of the column is 0.
  static Key key_of(Key hash) { return unmix(hash); }

  static void expect_exact(std::vector<Key> keys) {
    keys.push_back(0);
    std::vector<std::uint32_t> values(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) values[i] = static_cast<std::uint32_t>(3 * i + 1);
    const Index expected = build(keys, "sorted@cpu");
    for (const char* const spec :
         {"hash@cuda", "hash@cuda,group=2", "hash@cuda,group=4", "hash@cuda,group=8",
          "hash@cuda,group=16", "hash@cuda,group=32", "hash@cuda,load=0.5", "hash@cuda,load=0.9"}) {
      SCOPED_TRACE(spec);
      expect_alike(build(keys, spec), expected, keys, values);
    }
  }
};

using Widths = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(DeviceHash, Widths);

TYPED_TEST(DeviceHash, OfAFewRepeatedKeys) {
  std::vector<TypeParam> keys = this->random_keys(20'000);
  for (std::size_t i = 0; i < keys.size(); i += 500) keys[i] = keys[(i + 7) % keys.size()];
  for (std::size_t i = 3; i < 300; i += 3) keys[i] = keys[0];
  this->expect_exact(keys);
}

TYPED_TEST(DeviceHash, OfRepeatedKeysOnly) {
  std::vector<TypeParam> keys = this->random_keys(500);
  const std::size_t distinct = keys.size();
  for (std::size_t i = 0; i < 9 * distinct; ++i) keys.push_back(keys[i * i % distinct]);
  for (std::size_t i = 0; i < distinct; ++i) keys.push_back(keys[i]);
  this->expect_exact(keys);
}

TYPED_TEST(DeviceHash, OfOneKey) {
  this->expect_exact({5});
  this->expect_exact(std::vector<TypeParam>(1000, 5));
  // The greatest hash, and small ones.
  this->expect_exact({this->key_of(this->greatest), this->key_of(1)});
}

// A few repeated keys cost only a few bytes.
TYPED_TEST(DeviceHash, KeepsUniqueKeysSmall) {
  std::vector<TypeParam> keys = this->random_keys(1 << 18);
  const std::size_t unique = build(keys, "hash@cuda").memory_usage().resident;
  for (std::size_t i = 0; i + 1 < keys.size(); i += 1000) keys[i] = keys[i + 1];
  const std::size_t repeated = build(keys, "hash@cuda").memory_usage().resident;
  EXPECT_LT(static_cast<double>(repeated), 1.02 * static_cast<double>(unique));
}

// Hashes that begin with the same bits are sorted by only these at first.
TYPED_TEST(DeviceHash, OfHashesThatBeginAlike) {
  constexpr int half_bits = 4 * sizeof(TypeParam);
  for (const TypeParam in_group : {3, 40, 400}) {
    std::vector<TypeParam> keys = this->random_keys(4000);
    for (TypeParam group = 1; group < 20; ++group)
      for (TypeParam i = in_group; i > 0; --i) {
        const auto hash = static_cast<TypeParam>((group * 97) << half_bits | (i * 7919 % 1000));
        keys.push_back(this->key_of(hash));
        if (i % 5 == 0) keys.push_back(this->key_of(hash));
      }
    this->expect_exact(keys);
  }
}

// One key in very many rows beside another whose hash begins alike.
TYPED_TEST(DeviceHash, OfAHeavyKeyBesideOneThatBeginsAlike) {
  std::vector<TypeParam> keys(3000, this->key_of(TypeParam{2}));
  keys.push_back(this->greatest);
  keys.insert(keys.begin() + 1000, this->key_of(TypeParam{1}));
  keys.insert(keys.begin() + 2000, this->key_of(TypeParam{3}));
  keys.push_back(this->key_of(TypeParam{1}));
  this->expect_exact(keys);
}

// Far more keys in the first or last bucket than it has slots.
TYPED_TEST(DeviceHash, OfHashesThatCrowdOneEnd) {
  for (const bool at_end : {false, true}) {
    std::vector<TypeParam> keys;
    for (TypeParam i = 0; i < 3000; ++i) {
      const auto hash = static_cast<TypeParam>(5 * i);
      keys.push_back(this->key_of(static_cast<TypeParam>(at_end ? this->greatest - hash : hash)));
    }
    this->expect_exact(keys);
    keys.resize(keys.size() / 2);
    keys.insert(keys.end(), keys.begin(), keys.begin() + 100);
    this->expect_exact(keys);
  }
}

TYPED_TEST(DeviceHash, LosesAndGetsRowsOfRepeatedKeys) {
  std::vector<TypeParam> keys = this->random_keys(5000);
  for (std::size_t i = 0; i < keys.size(); i += 50) keys[i] = keys[i / 100];
  std::vector<std::uint32_t> values(keys.size() + 3, 2);
  Index index = build(keys, "hash@cuda");
  Index expected = build(keys, "sorted@cpu");
  const auto change = [&](auto&& work) {
    work(index);
    work(expected);
    values.resize(index.size());
    this->expect_alike(index, expected, keys, values);
  };
  values.resize(keys.size());
  change([](Index& changed) {
    changed.erase(std::vector<std::uint32_t>{0, 1, 50, 100, 101, 150, 4999});
  });
  change([&](Index& changed) {
    changed.update(std::vector<std::uint32_t>{4000, 20, 10},
                   std::vector<TypeParam>{keys[2], keys[2], keys[3]});
  });
  change([&](Index& changed) {
    static_cast<void>(changed.insert(std::vector<TypeParam>{keys[2], 17, keys[4000]}));
  });
  change([](Index& changed) { changed.merge(); });
}

}  // namespace
}  // namespace rtindex::test
