// Row bitmaps in host memory: how they are built, counted and read, with the last row in every
// place of a word.

#include "rows/row_bitmap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

namespace rtindex::test {
namespace {

constexpr std::size_t sizes_around_words[] = {1, 31, 32, 33, 63, 64, 65, 1000};

// The rows that a bitmap has, among those of the bitmap and some beyond its end.
std::vector<std::uint32_t> rows_set(const RowBits& bits) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < bits.rows + 100; ++row)
    if (bits.has(row)) rows.push_back(row);
  return rows;
}

std::vector<std::uint32_t> every_third_and_the_last(std::size_t rows) {
  std::vector<std::uint32_t> some;
  for (std::uint32_t row = 0; row < rows; ++row)
    if (row % 3 == 0 || row + 1 == rows) some.push_back(row);
  return some;
}

TEST(RowBits, HaveOneWordForEvery32Rows) {
  EXPECT_EQ(RowBits::words_of(0), 0U);
  EXPECT_EQ(RowBits::words_of(1), 1U);
  EXPECT_EQ(RowBits::words_of(31), 1U);
  EXPECT_EQ(RowBits::words_of(32), 1U);
  EXPECT_EQ(RowBits::words_of(33), 2U);
  EXPECT_EQ(RowBits::words_of(63), 2U);
  EXPECT_EQ(RowBits::words_of(64), 2U);
  EXPECT_EQ(RowBits::words_of(65), 3U);
}

TEST(RowBits, HaveNoRowWithoutWords) {
  const RowBits none = bits_of(nullptr);
  EXPECT_TRUE(none.empty());
  EXPECT_FALSE(none.has(0));
  EXPECT_FALSE(none.has(std::numeric_limits<std::uint32_t>::max()));
  EXPECT_EQ(count_of(nullptr), 0U);
}

TEST(RowBits, HaveNoRowBeyondTheEndWhateverTheLastWordHolds) {
  const std::vector<std::uint32_t> words(3, 0xffffffffU);
  for (const std::size_t rows : {0U, 1U, 31U, 32U, 33U, 63U, 64U, 65U}) {
    const RowBits bits{words.data(), rows};
    EXPECT_EQ(rows_set(bits).size(), rows);
    EXPECT_FALSE(bits.has(std::numeric_limits<std::uint32_t>::max()));
  }
}

TEST(RowBits, GiveTheAddressOfTheWordOfARow) {
  const std::vector<std::uint32_t> words(2, 0);
  const RowBits bits{words.data(), 40};
  EXPECT_EQ(bits.address(0), words.data());
  EXPECT_EQ(bits.address(31), words.data());
  EXPECT_EQ(bits.address(32), words.data() + 1);
  EXPECT_EQ(bits.address(39), words.data() + 1);
  EXPECT_EQ(bits.address(40), words.data());  // has() reads none
}

TEST(RowBitmapBuilder, SetsTheRowsThatAreAdded) {
  for (const std::size_t rows : sizes_around_words) {
    SCOPED_TRACE(rows);
    const std::vector<std::uint32_t> some = every_third_and_the_last(rows);
    RowBitmapBuilder builder(rows);
    EXPECT_EQ(builder.count(), 0U);
    EXPECT_TRUE(rows_set(builder.bits()).empty());
    for (const std::uint32_t row : some) EXPECT_TRUE(builder.add(row)) << row;
    EXPECT_EQ(builder.count(), some.size());
    EXPECT_EQ(rows_set(builder.bits()), some);
    const RowBitmapPtr bitmap = std::move(builder).finish();
    ASSERT_NE(bitmap, nullptr);
    EXPECT_EQ(bitmap->count(), some.size());
    EXPECT_EQ(bitmap->bits().rows, rows);
    EXPECT_EQ(rows_set(bitmap->bits()), some);
  }
}

TEST(RowBitmapBuilder, ReportsRowsThatAreSetAlready) {
  RowBitmapBuilder builder(65);
  for (const std::uint32_t row : {0U, 31U, 32U, 64U}) {
    EXPECT_TRUE(builder.add(row));
    EXPECT_FALSE(builder.add(row));
  }
  EXPECT_EQ(builder.count(), 4U);
}

TEST(RowBitmapBuilder, MakesNoBitmapWithoutARow) {
  for (const std::size_t rows : {0U, 1U, 32U, 33U}) {
    RowBitmapBuilder builder(rows);
    EXPECT_EQ(builder.count(), 0U);
    EXPECT_EQ(std::move(builder).finish(), nullptr) << rows;
  }
}

TEST(RowBitmapBuilder, SetsAllRows) {
  for (const std::size_t rows : sizes_around_words) {
    RowBitmapBuilder builder(rows);
    for (std::uint32_t row = 0; row < rows; ++row) builder.add(row);
    const RowBitmapPtr bitmap = std::move(builder).finish();
    ASSERT_NE(bitmap, nullptr);
    EXPECT_EQ(bitmap->count(), rows);
    EXPECT_EQ(rows_set(bitmap->bits()).size(), rows);
  }
}

// Neighbouring rows share a word. Each row is new to one thread.
TEST(RowBitmapBuilder, IsFilledByManyThreadsAtOnce) {
  constexpr std::uint32_t rows = 100'003;
  RowBitmapBuilder builder(rows);
  std::atomic<std::size_t> new_rows = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (std::uint32_t row = 0; row < rows; row += 2) new_rows += builder.add(row) ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(new_rows, (rows + 1) / 2);
  EXPECT_EQ(builder.count(), (rows + 1) / 2);
}

TEST(HostRowBitmap, CopiesItsWords) {
  for (const std::size_t rows : sizes_around_words) {
    SCOPED_TRACE(rows);
    RowBitmapBuilder builder(rows);
    for (const std::uint32_t row : every_third_and_the_last(rows)) builder.add(row);
    const RowBitmapPtr bitmap = std::move(builder).finish();
    ASSERT_NE(bitmap, nullptr);
    const Array<std::uint32_t> words = bitmap->words();
    ASSERT_EQ(words.size(), RowBits::words_of(rows));
    EXPECT_EQ(bitmap->bytes(), words.bytes());
    EXPECT_NE(words.data(), bitmap->bits().words);
    EXPECT_EQ(rows_set({words.data(), rows}), rows_set(bitmap->bits()));
    // Bits behind the last row would be counted in a file.
    if (rows % RowBits::word_bits != 0) {
      EXPECT_EQ(words[words.size() - 1] >> (rows % RowBits::word_bits), 0U);
    }
  }
}

TEST(HostRowBitmap, CountsTheRowsOfLoadedWords) {
  Array<std::uint32_t> words(3);
  words[0] = 0x80000001U;
  words[1] = 0;
  words[2] = 1;
  const HostRowBitmap bitmap(std::move(words), 65);
  EXPECT_EQ(bitmap.count(), 3U);
  EXPECT_EQ(rows_set(bitmap.bits()), (std::vector<std::uint32_t>{0, 31, 64}));
}

// More words than one thread counts at once.
TEST(HostRowBitmap, CountsManyWords) {
  constexpr std::size_t word_count = (std::size_t{1} << 16) + 7;
  Array<std::uint32_t> words(word_count);
  std::fill(words.begin(), words.end(), 0x10101010U);
  const HostRowBitmap bitmap(std::move(words), word_count * RowBits::word_bits);
  EXPECT_EQ(bitmap.count(), 4 * word_count);
}

TEST(HostRowBitmap, HasAnIdOfItsOwn) {
  const auto make = [] {
    RowBitmapBuilder builder(1);
    builder.add(0);
    return std::move(builder).finish();
  };
  const RowBitmapPtr a = make();
  const RowBitmapPtr b = make();
  EXPECT_NE(a->bits().id, 0U);
  EXPECT_NE(a->bits().id, b->bits().id);
}

}  // namespace
}  // namespace rtindex::test
