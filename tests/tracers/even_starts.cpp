// Grids whose cells tell their starts in two bytes, and columns that just cannot have one.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/random.hpp"
#include "support/temporary_folder.hpp"
#include "tracers/native/grid.hpp"

namespace rtindex::test {
namespace {

using Keys = std::vector<std::uint64_t>;

TEST(EvenStarts, HoldTwoBytesAroundTheirPlace) {
  EXPECT_TRUE(EvenStarts::holds(0, 32767));
  EXPECT_FALSE(EvenStarts::holds(0, 32768));
  EXPECT_TRUE(EvenStarts::holds(20000, 40000 - 32768));
  EXPECT_FALSE(EvenStarts::holds(20000, 40000 - 32769));
}

// Cells of 0, 2 and 4 keys in turn.
std::vector<std::uint32_t> uneven_ends(std::size_t cells) {
  std::vector<std::uint32_t> ends(cells);
  std::uint32_t end = 0;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const std::uint32_t keys = cell % 3 * 2;
    end += keys;
    ends[cell] = keys == 0 ? 0 : end;
  }
  return ends;
}

TEST(EvenStarts, LieAtTheEndsOfTheCellsBefore) {
  const std::vector<std::uint32_t> ends = uneven_ends(100000);
  const auto even = EvenStarts::from(ends, 4);
  ASSERT_TRUE(even);
  std::uint32_t start = 0;
  for (std::size_t cell = 0; cell < ends.size(); ++cell) {
    ASSERT_EQ((*even)[cell], start) << cell;
    start = std::max(start, ends[cell]);
  }
}

TEST(EvenStarts, AreNoneWhereACellHasTooManyKeys) {
  EXPECT_TRUE(EvenStarts::from(uneven_ends(100), 4));
  EXPECT_FALSE(EvenStarts::from(uneven_ends(100), 3));
}

TEST(EvenStarts, AreNoneWhereAnOffsetDoesNotFit) {
  std::vector<std::uint32_t> ends(30000, 0);
  ends[0] = 32767 + 2;
  EXPECT_TRUE(EvenStarts::from(ends, 40000));
  ends[0] = 32767 + 3;
  EXPECT_FALSE(EvenStarts::from(ends, 40000));
}

// `near` keys in the first half of the span, side by side, and one at its end: the cells in the
// middle start half of `near` away from their place.
Keys half_empty(std::uint64_t near) {
  Keys keys(near);
  std::iota(keys.begin(), keys.end(), std::uint64_t{0});
  keys.push_back(2 * near);
  return keys;
}

Keys uniform(std::size_t size) {
  Random random(4);
  Keys keys(size);
  for (std::uint64_t& key : keys) key = random.bits();
  return keys;
}

bool is_even(const Index& index) {
  return index.describe().find("even cells") != std::string::npos;
}

void expect_exact(const Index& index, Keys sorted) {
  std::sort(sorted.begin(), sorted.end());
  Keys lower;
  for (std::size_t i = 0; i < sorted.size(); i += 3)
    for (const std::uint64_t step : {-1, 0, 1}) lower.push_back(sorted[i] + step);
  const Keys upper(lower.size(), sorted.back());
  const Answers points = index.lookup(lower, Answer::count);
  const Answers ranges = index.range(lower, upper, Answer::count);
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const auto [from, to] = std::equal_range(sorted.begin(), sorted.end(), lower[i]);
    ASSERT_EQ(points.count()[i], to - from) << lower[i];
    ASSERT_EQ(ranges.count()[i], lower[i] > sorted.back() ? 0 : sorted.end() - from) << lower[i];
  }
}

void expect_grid(const Keys& keys, bool even) {
  const Index index = build(keys, "rx:native@cpu");
  EXPECT_EQ(is_even(index), even) << index.describe();
  expect_exact(index, keys);
  const TemporaryFolder folder(TemporaryFolder::Medium::memory);
  index.save(folder.file("a.rtindex"));
  const Index loaded = load(folder.file("a.rtindex"));
  EXPECT_EQ(is_even(loaded), even);
  expect_exact(loaded, keys);
}

TEST(EvenGrid, OfDenseKeys) {
  Keys keys(50001);
  std::iota(keys.begin(), keys.end(), std::uint64_t{1} << 40);
  expect_grid(keys, true);
}

TEST(EvenGrid, OfUniformKeys) { expect_grid(uniform(100000), true); }

TEST(EvenGrid, UpToTwoBytes) {
  expect_grid(half_empty(60000), true);
  expect_grid(half_empty(70000), false);
}

TEST(EvenGrid, NotOfCrowdedCells) {
  Keys keys = uniform(10000);
  const std::uint64_t key = keys[500];
  keys.insert(keys.end(), 40, key);
  expect_grid(keys, false);
}

TEST(EvenGrid, NotOfDuplicates) {
  Keys keys;
  for (std::uint64_t i = 0; i < 20000; ++i) keys.push_back(i / 16);
  expect_grid(keys, false);
}

TEST(EvenGrid, OfFewKeys) {
  expect_grid({5, 9}, true);
  expect_grid({5}, false);
}

}  // namespace
}  // namespace rtindex::test
