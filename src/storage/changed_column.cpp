#include "storage/changed_column.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"

namespace rtindex {

void require_distinct(std::span<const std::uint32_t> rows, std::size_t row_count) {
  std::vector<bool> named(row_count, false);
  for (const std::uint32_t row : rows) {
    if (row >= row_count)
      fail("the update names row {} but the column has {} rows", row, row_count);
    if (named[row]) fail("the update names row {} twice: give each row one new key", row);
    named[row] = true;
  }
}

EncodedColumn patched(const EncodedColumn& column, std::span<const std::uint32_t> rows,
                      std::span<const std::uint64_t> keys, const ColumnView& new_keys,
                      std::uint64_t span) {
  std::vector<std::uint64_t> all(column.row_count, 0);
  std::vector<bool> valid(column.row_count, false);
  for (std::size_t i = 0; i < column.size(); ++i) {
    all[column.row(i)] = column.keys[i];
    valid[column.row(i)] = true;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    all[rows[i]] = keys[i];
    valid[rows[i]] = new_keys.valid(i);
  }
  const auto valid_rows = static_cast<std::size_t>(std::count(valid.begin(), valid.end(), true));
  EncodedColumn result;
  result.row_count = column.row_count;
  result.span = span;
  result.keys = PackedKeys(valid_rows, span);
  if (valid_rows != column.row_count) result.rows = Array<std::uint32_t>(valid_rows);
  std::size_t next = 0;
  for (std::size_t row = 0; row < column.row_count; ++row) {
    if (!valid[row]) continue;
    if (!result.rows.empty()) result.rows[next] = static_cast<std::uint32_t>(row);
    result.keys.set(next++, all[row]);
  }
  return result;
}

}  // namespace rtindex
