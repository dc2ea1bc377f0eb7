// Row bitmaps in host memory: how they are built, counted and read, with the last row in every
// place of a word.

#include "rows/row_bitmap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "support/random.hpp"

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
    EXPECT_EQ(bitmap->bytes(), words.bytes() + sizeof(void*));
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

// Several pages, the last of them not full.
constexpr std::size_t page_rows = std::size_t{RowBits::page_words} * RowBits::word_bits;
constexpr std::size_t sizes_around_pages[] = {page_rows - 1, page_rows, page_rows + 1,
                                              3 * page_rows + 77};

RowBitmapPtr sparse(const std::vector<std::uint32_t>& rows, std::size_t row_count) {
  SparseBitmapBuilder builder(row_count);
  for (const std::uint32_t row : rows) EXPECT_TRUE(builder.add(row)) << row;
  return std::move(builder).finish();
}

const HostRows& rows_of(const RowBitmapPtr& bitmap) {
  return *static_cast<const HostRowBitmap&>(*bitmap).rows();
}

void expect_flags(const RowBitmapPtr& bitmap, const std::vector<bool>& flags) {
  ASSERT_EQ(count_of(bitmap),
            static_cast<std::size_t>(std::count(flags.begin(), flags.end(), true)));
  const RowBits bits = bits_of(bitmap);
  for (std::uint32_t row = 0; row < flags.size() + 100; ++row)
    ASSERT_EQ(bits.has(row), row < flags.size() && flags[row]) << row;
  if (bitmap == nullptr) return;
  const Array<std::uint32_t> words = bitmap->words();
  const RowBits flat{words.data(), bits.rows};
  for (std::uint32_t row = 0; row < flags.size(); ++row) ASSERT_EQ(flat.has(row), flags[row]);
}

TEST(SparseBitmapBuilder, SetsRowsOfSeveralPages) {
  for (const std::size_t rows : sizes_around_pages) {
    SCOPED_TRACE(rows);
    SparseBitmapBuilder builder(rows);
    std::vector<bool> flags(rows, false);
    for (const std::size_t row : {std::size_t{0}, std::size_t{31}, page_rows - 2, rows - 1}) {
      EXPECT_EQ(builder.add(static_cast<std::uint32_t>(row)), !flags[row]);
      EXPECT_FALSE(builder.add(static_cast<std::uint32_t>(row)));
      flags[row] = true;
    }
    expect_flags(std::move(builder).finish(), flags);
  }
  EXPECT_EQ(SparseBitmapBuilder(100).finish(), nullptr);
}

// Every version stays as it was while later ones are made from it.
TEST(HostRowBitmap, IsChangedLikeAVectorOfFlags) {
  Random random(5);
  std::size_t row_count = 1000;
  std::vector<bool> flags(row_count, false);
  std::vector<std::pair<RowBitmapPtr, std::vector<bool>>> versions;
  RowBitmapPtr bitmap;
  for (int step = 0; step < 60; ++step) {
    // It grows through the sizes of words and of pages.
    if (step % 3 == 0) row_count += step % 2 == 0 ? 13 : page_rows / 3;
    flags.resize(row_count, false);
    std::vector<std::uint32_t> rows;
    for (int i = 0; i < 1 + step; ++i) {
      const auto row = static_cast<std::uint32_t>(random.below(row_count));
      if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
    }
    const bool is_added = step % 4 != 3;
    const RowBitmapPtr named = sparse(rows, row_count);
    const RowBitmapPtr before = bitmap;
    if (is_added)
      bitmap = step % 2 == 0 ? union_of(bitmap, named) : with_rows(bitmap, rows, row_count);
    else
      bitmap = difference(bitmap, named);
    for (const std::uint32_t row : rows) flags[row] = is_added;
    versions.emplace_back(bitmap, flags);
    if (!is_added || before == nullptr) continue;
    const auto added = rows_of(bitmap).added_since(rows_of(before));
    ASSERT_TRUE(added);
    EXPECT_EQ(added->size(), bitmap->count() - before->count());
    for (const std::uint32_t row : *added) {
      EXPECT_TRUE(bitmap->bits().has(row));
      EXPECT_FALSE(before->bits().has(row));
    }
  }
  for (const auto& [version, expected] : versions) expect_flags(version, expected);
}

TEST(HostRowBitmap, HasNoRowsAddedToOneWithOthers) {
  const RowBitmapPtr a = sparse({1, 5}, 100);
  const RowBitmapPtr b = sparse({5, 7}, 200);
  EXPECT_FALSE(rows_of(b).added_since(rows_of(a)));
  EXPECT_FALSE(rows_of(a).added_since(rows_of(b)));
}

TEST(HostRowBitmap, SharesPagesWithTheOneBefore) {
  constexpr std::size_t rows = 8 * page_rows;
  RowBitmapBuilder builder(rows);
  for (std::uint32_t row = 0; row < rows; row += 1000) builder.add(row);
  const RowBitmapPtr before = std::move(builder).finish();
  const RowBitmapPtr after = union_of(before, sparse({3 * page_rows + 1}, rows));
  std::size_t shared = 0;
  for (std::size_t page = 0; page < 8; ++page)
    shared += before->bits().pages[page] == after->bits().pages[page] ? 1 : 0;
  EXPECT_EQ(shared, 7U);
  EXPECT_LT(sparse({5}, rows)->bytes(), 2 * page_rows / 8) << "empty pages take no memory";
}

TEST(FilteredRows, CannotBeCombinedWithOtherBitmaps) {
  RowBitmapBuilder builder(100);
  builder.add(7);
  const RowBitmapPtr deleted = std::move(builder).finish();
  const std::vector<std::uint8_t> bits(13, 0xff);
  const RowBitmapPtr filtered =
      std::make_shared<const FilteredRows>(deleted, BitmapView{bits.data(), 100});
  EXPECT_TRUE(filtered->bits().has(7));
  EXPECT_FALSE(filtered->bits().has(8));
  EXPECT_THROW(static_cast<void>(union_of(deleted, filtered)), std::logic_error);
  EXPECT_THROW(static_cast<void>(union_of(filtered, deleted)), std::logic_error);
  EXPECT_THROW(static_cast<void>(difference(deleted, filtered)), std::logic_error);
  EXPECT_THROW(static_cast<void>(difference(filtered, deleted)), std::logic_error);
  EXPECT_THROW(static_cast<void>(with_rows(filtered, std::vector<std::uint32_t>{3}, 100)),
               std::logic_error);
  EXPECT_THROW(static_cast<void>(filtered->words()), std::logic_error);
}

}  // namespace
}  // namespace rtindex::test
