// The native tracer's grid on the CPU, over keys that lie evenly and over keys that do not.

#include "kinds/grid/grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "keys/codec.hpp"
#include "support/description.hpp"
#include "support/index_bytes.hpp"
#include "support/random.hpp"
#include "support/temporary_folder.hpp"

namespace rtindex::test {
namespace {

using Keys = std::vector<std::uint64_t>;

Keys uniform(std::size_t size, int unused_bits = 0) {
  Random random(4);
  Keys keys(size);
  for (std::uint64_t& key : keys) key = random.bits() >> unused_bits;
  return keys;
}

void expect_exact(const Index& index, Keys sorted) {
  std::sort(sorted.begin(), sorted.end());
  Keys lower;
  for (std::size_t i = 0; i < sorted.size(); i += 1 + i % 5)
    for (const std::uint64_t step : {-1, 0, 1}) lower.push_back(sorted[i] + step);
  const Keys upper(lower.size(), sorted.back());
  const Answers points = index.lookup(lower, Answer::count | Answer::first);
  const Answers rows = index.lookup(lower, Answer::first);
  const Answers ranges = index.range(lower, upper, Answer::count);
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const auto [from, to] = std::equal_range(sorted.begin(), sorted.end(), lower[i]);
    ASSERT_EQ(points.count()[i], to - from) << lower[i];
    ASSERT_EQ(points.first()[i], rows.first()[i]) << lower[i];
    ASSERT_EQ(ranges.count()[i], lower[i] > sorted.back() ? 0 : sorted.end() - from) << lower[i];
  }
}

enum class Pieces : std::uint8_t { one, several, any };

void expect_grid(const Keys& keys, Pieces pieces) {
  const Index index = build(keys, "rx:native@cpu");
  const bool is_one = described(index, "tracer").find("one piece") != std::string::npos;
  if (pieces != Pieces::any) {
    EXPECT_EQ(is_one, pieces == Pieces::one) << index.describe();
  }
  expect_exact(index, keys);
  const TemporaryFolder folder(TemporaryFolder::Medium::memory);
  index.save(folder.file("a.rtindex"));
  const Index loaded = load(folder.file("a.rtindex"));
  EXPECT_EQ(described(loaded, "tracer"), described(index, "tracer"));
  expect_exact(loaded, keys);
}

TEST(Grid, OfDenseKeysIsOnePiece) {
  Keys keys(50001);
  std::iota(keys.rbegin(), keys.rend(), std::uint64_t{1} << 40);
  expect_grid(keys, Pieces::one);
}

TEST(Grid, OfASequenceIsNone) {
  Keys keys(50001);
  std::iota(keys.begin(), keys.end(), std::uint64_t{1} << 40);
  EXPECT_EQ(described(build(keys, "rx:native@cpu"), "tracer"), "");
  expect_grid(keys, Pieces::any);
}

TEST(Grid, OfUniformKeysIsOnePiece) {
  expect_grid(uniform(200000), Pieces::one);
  expect_grid(uniform(100000, 40), Pieces::one);
}

TEST(Grid, OfFewKeysIsOnePiece) {
  expect_grid({9, 5}, Pieces::one);
  expect_grid({5, 9}, Pieces::one);
  Keys crowded = uniform(63, 58);
  crowded.push_back(~std::uint64_t{0} - 1);
  expect_grid(crowded, Pieces::one);
  std::sort(crowded.begin(), crowded.end());
  expect_grid(crowded, Pieces::one);
}

TEST(Grid, OfEqualKeysIsOnePiece) { expect_grid(Keys(5000, 42), Pieces::one); }

// What is left begins with a long run, above the keys that it was encoded for.
TEST(Grid, OfARunBehindErasedKeys) {
  Keys keys(20001, 1'000'000'000);
  keys[0] = 0;
  Index index = build(keys, "rx:native@cpu");
  index.erase(std::vector<std::uint32_t>{0});
  index.merge();
  const TemporaryFolder folder(TemporaryFolder::Medium::memory);
  index.save(folder.file("a.rtindex"));
  keys.erase(keys.begin());
  expect_exact(load(folder.file("a.rtindex")), keys);
  const Answers found = index.lookup(Keys{0, 5, 1'000'000'000}, Answer::count);
  EXPECT_EQ((std::vector<std::uint32_t>(found.count().begin(), found.count().end())),
            (std::vector<std::uint32_t>{0, 0, 20000}));
}

TEST(Grid, HasSeparatePiecesForOutliers) {
  Keys high = uniform(100000, 30);
  high.push_back(~std::uint64_t{0});
  expect_grid(high, Pieces::several);
  Keys low = uniform(100000, 30);
  for (std::uint64_t& key : low) key += std::uint64_t{1} << 63;
  low.push_back(3);
  expect_grid(low, Pieces::several);
}

// Runs around the lengths at which a run becomes a piece, within one chunk and over many.
TEST(Grid, OfRunsOfDuplicates) {
  for (const std::size_t run : {30, 1000, 1024, 1025, 2047, 2048, 5000, 40000}) {
    Keys keys = uniform(30000);
    const Keys chosen(keys.begin(), keys.begin() + 5);
    for (const std::uint64_t key : chosen) keys.insert(keys.end(), run, key);
    keys.insert(keys.end(), run, 0);
    keys.insert(keys.end(), run, ~std::uint64_t{0});
    SCOPED_TRACE(run);
    expect_grid(keys, run < 2048 ? Pieces::any : Pieces::several);
  }
}

TEST(Grid, OfDenseDuplicates) {
  for (const std::uint64_t each : {16, 700, 3000}) {
    Keys keys;
    for (std::uint64_t i = 0; i < 60000; ++i) keys.push_back(i / each * 5);
    SCOPED_TRACE(each);
    expect_grid(keys, Pieces::any);
  }
}

TEST(Grid, FollowsKeysOfManyScales) {
  Random random(9);
  Keys tail(150000);
  for (std::uint64_t& key : tail) key = random.bits() >> random.below(60);
  expect_grid(tail, Pieces::several);
}

TEST(Grid, FollowsClustersWithinClusters) {
  Random random(10);
  Keys keys(120000);
  for (std::uint64_t& key : keys) {
    key = random.below(50);
    for (const std::uint64_t clusters : {5, 40, 7})
      key += (random.below(clusters) * 0x9e3779b97f4a7c15U) >> (10 * clusters % 37);
  }
  expect_grid(keys, Pieces::several);
}

// The search for the greatest keys begins far before the end of the column, and stops there.
TEST(Grid, EndsWithACrowdedCell) {
  for (const std::uint64_t crowd : {36, 40, 44, 48}) {
    Keys keys;
    for (std::uint64_t i = 0; i < 1000 - crowd; ++i) keys.push_back(i << 54);
    const std::uint64_t begin = keys.back() + (std::uint64_t{1} << 53);
    for (std::uint64_t i = 0; i < crowd; ++i) keys.push_back(begin + (i << 53) / crowd);
    SCOPED_TRACE(crowd);
    const Index index = build(keys, "rx:native@cpu");
    const Answers points = index.lookup(keys, Answer::first | Answer::count);
    for (std::size_t row = 0; row < keys.size(); ++row) {
      ASSERT_EQ(points.first()[row], row);
      ASSERT_EQ(points.count()[row], 1U) << row;
    }
  }
}

TEST(Grid, RejectsADamagedFile) {
  Keys keys = uniform(30000, 30);
  keys.push_back(~std::uint64_t{0});
  const TemporaryFolder folder(TemporaryFolder::Medium::memory);
  build(keys, "rx:native@cpu").save(folder.file("a.rtindex"));
  // A piece is its first key, its position and its number of cells.
  const auto error_with = [&](std::size_t at, std::uint32_t value) -> std::string {
    IndexBytes file(folder.file("a.rtindex"));
    for (const IndexBytes::Section& section : file.sections())
      if (section.name.ends_with("pieces")) file.put(section.offset + at, value);
    file.seal();
    file.write(folder.file("damaged.rtindex"));
    try {
      static_cast<void>(load(folder.file("damaged.rtindex")));
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_NE(error_with(12, 0).find("piece 0 of its grid"), std::string::npos);
  EXPECT_NE(error_with(16 + 8, 30002).find("piece 1 of its grid"), std::string::npos);
  EXPECT_NE(error_with(16 + 12, 0).find("piece 1 of its grid"), std::string::npos);
}

// Both halves are about equally dense, but the positions on a line over both would be further off
// than two bytes can tell.
TEST(Grid, CutsWhereALineWouldBeTooFarOff) {
  Keys keys;
  for (std::uint64_t i = 0; i < 300000; ++i) keys.push_back(20 * i);
  for (std::uint64_t i = 0; i < 300000; ++i) keys.push_back(std::uint64_t{20} * 300000 + 24 * i);
  expect_grid(keys, Pieces::several);
}

// A cell that lies in the blocks of two threads is filled by one of them alone. Here all blocks but
// the first begin with the second key of a cell.
TEST(Grid, IsTheSameWithManyThreads) {
  std::vector<std::uint32_t> keys(std::size_t{1} << 20);
  for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = (i + 1) / 2;
  const auto codec = KeyCodec::for_column(keys);
  const KeyOrder<std::uint32_t> order(codec->encode(keys), *codec);
  const auto starts_of_cells = [&] {
    Stored stored;
    const Grid<std::uint32_t> grid(order);
    grid.save(FileWriter(stored));
    const std::span<const std::byte> bytes = stored.sections.at("offsets").bytes;
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  std::vector<std::byte> by_one_thread;
  {
    const SerialCalls serial;
    by_one_thread = starts_of_cells();
  }
  for (int build = 0; build < 20; ++build) ASSERT_TRUE(starts_of_cells() == by_one_thread);
}

}  // namespace
}  // namespace rtindex::test
