// Updates of more rows than one thread takes at a time.

#include "storage/columns.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <rtindex/error.hpp>

namespace rtindex::test {
namespace {

constexpr std::uint32_t size = 200'003;

// Every row once, far from its neighbours.
std::vector<std::uint32_t> scattered_rows() {
  std::vector<std::uint32_t> rows(size);
  for (std::uint32_t i = 0; i < size; ++i)
    rows[i] = static_cast<std::uint32_t>(std::uint64_t{i} * 7919 % size);
  return rows;
}

std::string refusal(const std::vector<std::uint32_t>& rows) {
  try {
    require_distinct(rows, size);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(ChangedRows, AreNamedOnce) {
  std::vector<std::uint32_t> rows = scattered_rows();
  EXPECT_EQ(refusal(rows), "");
  const std::uint32_t first = rows[17];
  const std::uint32_t replaced = std::exchange(rows[150'000], first);
  EXPECT_NE(refusal(rows).find("row " + std::to_string(first) + " twice"), std::string::npos);
  rows[150'000] = replaced;
  rows[199'999] = size;
  EXPECT_NE(refusal(rows).find("row 200003 but the column has 200003 rows"), std::string::npos);
}

EncodedColumn column_of(std::uint64_t span) {
  EncodedColumn column;
  column.row_count = size;
  column.span = span;
  column.keys = PackedKeys(size, span);
  for (std::uint32_t row = 0; row < size; ++row) column.keys.set(row, row);
  return column;
}

TEST(ChangedColumn, HoldsNewKeysAndGrowsWide) {
  std::vector<std::uint32_t> rows = scattered_rows();
  rows.resize(size / 2);
  for (const std::uint64_t offset : {std::uint64_t{5}, std::uint64_t{1} << 40}) {
    std::vector<std::uint64_t> keys;
    for (const std::uint32_t row : rows) keys.push_back(row + offset);
    const std::uint64_t span = size + offset;
    const EncodedColumn now =
        patched(column_of(size), {rows.data(), keys.data(), rows.size(), MemorySpace::host},
                ColumnView(keys), span);
    EXPECT_EQ(now.span, span);
    EXPECT_TRUE(now.rows.empty());
    std::vector<std::uint64_t> wanted(size);
    for (std::uint32_t row = 0; row < size; ++row) wanted[row] = row;
    for (const std::uint32_t row : rows) wanted[row] += offset;
    for (std::uint32_t row = 0; row < size; ++row) ASSERT_EQ(now.keys[row], wanted[row]);
  }
}

TEST(ChangedColumn, LosesRowsToNull) {
  const std::vector<std::uint32_t> rows = {7, 150'000, 9};
  const std::vector<std::uint64_t> keys = {1, 0, 2};
  const std::uint8_t validity = 0b101;
  const ColumnView new_keys = ColumnView(keys).with_validity(&validity);
  EXPECT_FALSE(all_valid(new_keys));
  const EncodedColumn now = patched(
      column_of(size), {rows.data(), keys.data(), rows.size(), MemorySpace::host}, new_keys, size);
  ASSERT_EQ(now.size(), size - 1);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::uint32_t row = now.row(i);
    ASSERT_EQ(row, i + (i >= 150'000 ? 1 : 0));
    ASSERT_EQ(now.keys[i], row == 7 ? 1 : row == 9 ? 2 : row);
  }
}

TEST(Validity, OneNullAnywhereIsSeen) {
  const std::vector<std::uint64_t> keys(size, 1);
  std::vector<std::uint8_t> bitmap((size + 7) / 8, 0xff);
  const ColumnView column = ColumnView(keys).with_validity(bitmap.data());
  EXPECT_TRUE(all_valid(column));
  for (const std::size_t row : {std::size_t{0}, std::size_t{100'000}, std::size_t{size - 1}}) {
    const auto bit = static_cast<std::uint8_t>(1U << (row % 8));
    bitmap[row / 8] = static_cast<std::uint8_t>(bitmap[row / 8] ^ bit);
    EXPECT_FALSE(all_valid(column)) << row;
    bitmap[row / 8] = static_cast<std::uint8_t>(bitmap[row / 8] ^ bit);
  }
}

}  // namespace
}  // namespace rtindex::test
