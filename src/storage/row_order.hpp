#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/stored.hpp"
#include "keys/encoded_column.hpp"
#include "storage/row_set.hpp"

namespace rtindex {

// The column back in row order from a structure that holds its keys in another: for_each(take)
// calls take(row, key) for each of `size` keys, twice over, by as many threads as it likes. What
// came from a damaged file is an Error.
template <class ForEach>
[[nodiscard]] EncodedColumn in_row_order(std::size_t size, std::size_t row_count,
                                         std::uint64_t span, ForEach&& for_each) {
  RowSet valid(row_count);
  for_each([&](std::uint32_t row, std::uint64_t key) {
    if (row >= row_count || !valid.add(row))
      fail_damaged_in_use("a row is there twice or too large");
    if (key > span) fail_damaged_in_use("a key is too large");
  });
  if (valid.size() != size) fail_damaged_in_use("rows are missing");

  EncodedColumn column;
  column.row_count = row_count;
  column.span = span;
  column.keys = PackedKeys(size, span);
  if (size == row_count) {
    for_each([&](std::uint32_t row, std::uint64_t key) { column.keys.set(row, key); });
    return column;
  }
  // With nulls: a row's place is the number of valid rows before it.
  column.rows = Array<std::uint32_t>(size);
  std::vector<std::uint32_t> place(row_count, 0);
  std::uint32_t next = 0;
  for (std::size_t row = 0; row < row_count; ++row) {
    if (!valid.has(static_cast<std::uint32_t>(row))) continue;
    column.rows[next] = static_cast<std::uint32_t>(row);
    place[row] = next++;
  }
  for_each([&](std::uint32_t row, std::uint64_t key) { column.keys.set(place[row], key); });
  return column;
}

}  // namespace rtindex
