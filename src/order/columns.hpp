#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rtindex/column.hpp>
#include <rtindex/device.hpp>

#include "file/stored.hpp"
#include "keys/encoded_column.hpp"
#include "order/pairs.hpp"
#include "rows/row_bitmap.hpp"

namespace rtindex {

// Rows and their new encoded keys: row rows[i] gets keys[i]. Both lie in one memory space.
struct Changes {
  const std::uint32_t* rows = nullptr;
  const std::uint64_t* keys = nullptr;
  std::size_t size = 0;
  MemorySpace memory_space = MemorySpace::host;
};

// Keys and their rows in row order, in memory and time of `size` keys.
template <class ForEach>
[[nodiscard]] EncodedColumn sorted_by_row(std::size_t size, std::size_t row_count,
                                          std::uint64_t span, ForEach&& for_each) {
  PackedKeys taken(size, span);
  Array<Pair<std::uint32_t>> order(size);  // rows, and where their keys are in `taken`
  std::atomic<std::size_t> next = 0;
  for_each([&](std::uint32_t row, std::uint64_t key) {
    if (row >= row_count) fail_damaged_in_use("a row is too large");
    if (key > span) fail_damaged_in_use("a key is too large");
    const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
    if (i >= size) fail_damaged_in_use("there are too many rows");
    taken.set(i, key);
    order[i] = {row, static_cast<std::uint32_t>(i)};
  });
  if (next != size) fail_damaged_in_use("rows are missing");
  sort_pairs(order.span());

  EncodedColumn column;
  column.row_count = row_count;
  column.span = span;
  column.keys = PackedKeys(size, span);
  column.rows = Array<std::uint32_t>(size);
  for (std::size_t i = 0; i < size; ++i) {
    if (i > 0 && order[i].key == order[i - 1].key) fail_damaged_in_use("a row is there twice");
    column.rows[i] = order[i].key;
    column.keys.set(i, taken[order[i].row]);
  }
  return column;
}

// The column back in row order from a structure that holds its keys in another: for_each(take)
// calls take(row, key) for each of `size` keys, by as many threads as it likes, and is called once
// or twice. What came from a damaged file is an Error.
template <class ForEach>
[[nodiscard]] EncodedColumn in_row_order(std::size_t size, std::size_t row_count,
                                         std::uint64_t span, ForEach&& for_each) {
  constexpr std::size_t max_rows_per_key = 8;  // a sort takes longer than so many rows
  if (size < row_count / max_rows_per_key) return sorted_by_row(size, row_count, span, for_each);
  RowBitmapBuilder valid(row_count);
  for_each([&](std::uint32_t row, std::uint64_t key) {
    if (row >= row_count || !valid.add(row))
      fail_damaged_in_use("a row is there twice or too large");
    if (key > span) fail_damaged_in_use("a key is too large");
  });
  if (valid.count() != size) fail_damaged_in_use("rows are missing");

  EncodedColumn column;
  column.row_count = row_count;
  column.span = span;
  column.keys = PackedKeys(size, span);
  if (size == row_count) {
    for_each([&](std::uint32_t row, std::uint64_t key) { column.keys.set(row, key); });
    return column;
  }
  // With nulls: the position of a row is the number of valid rows before it.
  column.rows = Array<std::uint32_t>(size);
  std::vector<std::uint32_t> positions(row_count, 0);
  std::uint32_t next = 0;
  const RowBits valid_rows = valid.bits();
  for (std::size_t row = 0; row < row_count; ++row) {
    if (!valid_rows.has(static_cast<std::uint32_t>(row))) continue;
    column.rows[next] = static_cast<std::uint32_t>(row);
    positions[row] = next++;
  }
  for_each([&](std::uint32_t row, std::uint64_t key) { column.keys.set(positions[row], key); });
  return column;
}

// An encoded column in a file, for structures that cannot be saved and are built again from it.
void save_column(FileWriter& file, EncodedColumn column);
// The column, copied and checked: every key up to `span`, rows ascending.
[[nodiscard]] EncodedColumn load_column(const FileReader& file, std::size_t rows,
                                        std::uint64_t span);

}  // namespace rtindex
