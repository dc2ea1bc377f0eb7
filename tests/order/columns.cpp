// Columns back in row order, from structures that hold few or most of the rows.

#include "order/columns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <rtindex/error.hpp>

#include "base/parallel.hpp"

namespace rtindex::test {
namespace {

struct Entry {
  std::uint32_t row;
  std::uint64_t key;
};

// Every `step`-th row of `row_count`, far from its neighbours.
std::vector<Entry> scattered(std::size_t row_count, std::size_t step, std::uint64_t factor) {
  const std::size_t size = row_count / step;
  std::vector<Entry> entries(size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto row = static_cast<std::uint32_t>(i * 7919 % size * step);
    entries[i] = {row, row * factor};
  }
  return entries;
}

EncodedColumn ordered(const std::vector<Entry>& entries, std::size_t size, std::size_t row_count,
                      std::uint64_t span) {
  return in_row_order(size, row_count, span, [&](auto&& take) {
    parallel_for(entries.size(), 1000, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) take(entries[i].row, entries[i].key);
    });
  });
}

constexpr std::size_t row_count = 200'003;

// All rows, most of them (with nulls), and few (a small segment).
TEST(RowOrder, ReturnsTheColumnForManyAndForFewRows) {
  for (const std::size_t step : {1, 2, 7, 9, 100, 50'000})
    for (const std::uint64_t factor : {std::uint64_t{3}, std::uint64_t{1} << 40}) {
      const std::vector<Entry> entries = scattered(row_count, step, factor);
      const std::uint64_t span = row_count * factor;
      const EncodedColumn column = ordered(entries, entries.size(), row_count, span);
      EXPECT_EQ(column.row_count, row_count);
      EXPECT_EQ(column.span, span);
      ASSERT_EQ(column.size(), entries.size());
      EXPECT_EQ(column.rows.empty(), step == 1);
      for (std::size_t i = 0; i < column.size(); ++i) {
        ASSERT_EQ(column.row(i), i * step);
        ASSERT_EQ(column.keys[i], i * step * factor);
      }
    }
}

TEST(RowOrder, ReturnsAnEmptyColumnForNoRows) {
  EXPECT_EQ(ordered({}, 0, row_count, 0).size(), 0U);
  EXPECT_EQ(ordered({}, 0, 0, 0).size(), 0U);
}

TEST(RowOrder, RejectsDamagedPairs) {
  for (const std::size_t step : {1, 2, 100}) {
    const std::vector<Entry> sound = scattered(row_count, step, 1);
    const std::size_t size = sound.size();
    const auto rejected = [&](std::size_t wanted, const auto& damage) {
      std::vector<Entry> entries = sound;
      damage(entries);
      EXPECT_THROW(static_cast<void>(ordered(entries, wanted, row_count, row_count)), Error)
          << step;
    };
    rejected(size, [](auto& entries) { entries[17].row = entries[1].row; });
    rejected(size, [](auto& entries) { entries[17].row = row_count; });
    rejected(size, [](auto& entries) { entries[17].key = row_count + 1; });
    rejected(size, [](auto& entries) { entries.pop_back(); });
    if (step > 1) rejected(size - 1, [](auto&) {});
  }
}

// Rows 7 and those that follow of 30, or all rows.
TEST(SavedSequence, IsLoadedAsAColumn) {
  for (const std::size_t rows : {20, 30}) {
    const std::uint32_t first_row = rows == 20 ? 0 : 7;
    Stored stored;
    FileWriter writer(stored);
    save_sequence(writer, 20, 5, first_row);
    const EncodedColumn column = load_column(FileReader(stored), rows, 24);
    EXPECT_EQ(column.row_count, rows);
    ASSERT_EQ(column.size(), 20U);
    for (std::size_t i = 0; i < column.size(); ++i) {
      EXPECT_EQ(column.row(i), first_row + i);
      EXPECT_EQ(column.keys[i], 5 + i);
    }
  }
}

TEST(SavedSequence, IsRejectedWhereItsKeysOrRowsAreTooLarge) {
  Stored stored;
  FileWriter writer(stored);
  save_sequence(writer, 20, 5, 7);
  const FileReader reader(stored);
  EXPECT_THROW(static_cast<void>(load_column(reader, 19, 24)), Error);
  EXPECT_THROW(static_cast<void>(load_column(reader, 26, 24)), Error);
  EXPECT_THROW(static_cast<void>(load_column(reader, 30, 23)), Error);
  EXPECT_THROW(static_cast<void>(load_column(reader, 30, 3)), Error);
  EXPECT_NO_THROW(static_cast<void>(load_column(reader, 27, 24)));
}

}  // namespace
}  // namespace rtindex::test
