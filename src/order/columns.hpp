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

// Rows and their new encoded keys: row rows[i] has keys[i]. Both are in one memory space.
struct Changes {
  const std::uint32_t* rows = nullptr;
  const std::uint64_t* keys = nullptr;
  std::size_t size = 0;
  MemorySpace memory_space = MemorySpace::host;
};

// in_row_order() by sorting: needs memory and time for `size` keys, not for `row_count` rows.
template <class ForEach>
[[nodiscard]] EncodedColumn sorted_by_row(std::size_t size, std::size_t row_count,
                                          std::uint64_t span, ForEach&& for_each) {
  PackedKeys extracted(size, span);
  Array<Pair<std::uint32_t>> order(size);  // rows, and the positions of their keys in `extracted`
  std::atomic<std::size_t> next = 0;
  for_each([&](std::uint32_t row, std::uint64_t key) {
    if (row >= row_count) fail_damaged_in_use("a row is too large");
    if (key > span) fail_damaged_in_use("a key is too large");
    const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
    if (i >= size) fail_damaged_in_use("there are too many rows");
    extracted.set(i, key);
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
    if (i > 0 && order[i].key == order[i - 1].key) fail_damaged_in_use("a row appears twice");
    column.rows[i] = order[i].key;
    column.keys.set(i, extracted[order[i].row]);
  }
  return column;
}

// The column in row order, of a structure that holds its keys in another order. for_each(callback)
// calls callback(row, key) for each of `size` keys, from any number of threads; it is called once
// or twice. Invalid rows or keys, of a damaged file, are an Error.
template <class ForEach>
[[nodiscard]] EncodedColumn in_row_order(std::size_t size, std::size_t row_count,
                                         std::uint64_t span, ForEach&& for_each) {
  constexpr std::size_t max_rows_per_key = 8;  // with more rows a key, sorting is faster
  if (size < row_count / max_rows_per_key) return sorted_by_row(size, row_count, span, for_each);
  RowBitmapBuilder valid(row_count);
  for_each([&](std::uint32_t row, std::uint64_t key) {
    if (row >= row_count || !valid.add(row))
      fail_damaged_in_use("a row appears twice or is too large");
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

[[nodiscard]] EncodedColumn copy_of(const EncodedColumn& column);

// Saves an encoded column, for structures that are built again when they are loaded.
void save_column(FileWriter& file, EncodedColumn column);
// Saves a column whose keys and rows follow each other.
void save_sequence(FileWriter& file, std::size_t size, std::uint64_t first_key,
                   std::uint32_t first_row);
// Copies the column and checks it: every key up to `span`, rows ascending.
[[nodiscard]] EncodedColumn load_column(const FileReader& file, std::size_t rows,
                                        std::uint64_t span);
// Those of points. `largest`: the largest key of each column.
[[nodiscard]] EncodedColumn load_points(const FileReader& file, std::size_t rows,
                                        std::span<const std::uint64_t> largest);

}  // namespace rtindex
