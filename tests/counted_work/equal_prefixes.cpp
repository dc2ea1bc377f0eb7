// Strings with long equal prefixes: a lookup compares no more bytes where the column is longer, but
// for a few steps of its search.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "counted_work/counted_bytes.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

constexpr std::size_t prefix_bytes = 300;
constexpr std::size_t tail_bytes = 100;
constexpr std::size_t lookups = 200;

// What a stranger would choose: groups of keys that are alike up to their last letters, and more
// of these than an encoded key holds.
std::vector<std::string> alike(std::size_t count, std::size_t groups, const std::string& end) {
  std::mt19937 random(1);
  std::vector<std::string> keys(count);
  for (std::size_t i = 0; i < count; ++i) {
    keys[i] = std::string(prefix_bytes, static_cast<char>('a' + i % groups));
    for (std::size_t letters = 0; letters < tail_bytes; ++letters)
      keys[i] += random() % 40 == 0 ? static_cast<char>('b' + random() % 20) : 'a';
    keys[i] += std::to_string(1'000'000 + i) + end;
  }
  std::shuffle(keys.begin(), keys.end(), random);
  return keys;
}

// Bytes compared for each of some lookups, half of which find a key.
std::uint64_t work_of_a_lookup(const std::string& spec, std::size_t count, std::size_t groups) {
  const std::vector<std::string> keys = alike(count, groups, "");
  const std::vector<std::string> misses = alike(count, groups, "!");
  std::vector<std::string> batch(keys.begin(), keys.begin() + lookups / 2);
  batch.insert(batch.end(), misses.begin(), misses.begin() + lookups / 2);
  const Index index = build(keys, spec);
  const std::uint64_t before = compared_bytes();
  const Answers answers = index.lookup(batch, Answer::count | Answer::first);
  const std::uint64_t work = compared_bytes() - before;
  for (std::size_t i = 0; i < lookups; ++i)
    EXPECT_EQ(answers.count()[i], i < lookups / 2 ? 1U : 0U) << batch[i];
  return work / lookups;
}

class EqualPrefixes : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer has a memcmp of its own";
#endif
  }
};

TEST(CountedBytes, EndAtTheFirstDifference) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer has a memcmp of its own";
#endif
  const std::string a(100, 'a');
  const std::string b = std::string(50, 'a') + std::string(50, 'b');
  const std::uint64_t before = compared_bytes();
  EXPECT_LT(a.compare(b), 0);
  EXPECT_EQ(compared_bytes() - before, 51U);
}

TEST_P(EqualPrefixes, NeedFewComparisonsPerLookup) {
  for (const std::size_t groups : {1U, 3U}) {
    const std::uint64_t few = work_of_a_lookup(GetParam(), 1'000, groups);
    const std::uint64_t many = work_of_a_lookup(GetParam(), 8'000, groups);
    RecordProperty("bytes", static_cast<int>(many));
    // 2^13 keys are searched in 13 steps; a scan of those alike would compare millions of bytes.
    constexpr std::uint64_t key_bytes = prefix_bytes + 9;
    EXPECT_LT(many, 32 * key_bytes);
    EXPECT_LT(many, 2 * few + 8 * key_bytes);
  }
}

// Rays hit every key that is alike as far as it is encoded (SECURITY.md): with a primitive for each
// key the work is not bounded.
std::vector<std::string> bounded_specs() {
  std::vector<std::string> specs = host_specs();
  std::erase(specs, "rx:embree@cpu");
  return specs;
}

INSTANTIATE_TEST_SUITE_P(Indexes, EqualPrefixes, testing::ValuesIn(bounded_specs()),
                         [](const auto& tested) { return test_name(tested.param); });

}  // namespace
}  // namespace rtindex::test
