#include "storage/columns.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "storage/structure.hpp"

namespace rtindex {

void save_column(FileWriter& file, EncodedColumn column) {
  file.number("keys", column.size());
  if (column.size() != column.row_count) file.array("rows", std::move(column.rows));
  std::move(column.keys).save(file, "column");
}

EncodedColumn load_column(const FileReader& file, std::size_t rows, std::uint64_t span) {
  EncodedColumn column;
  column.row_count = rows;
  column.span = span;
  const std::size_t size = file.number("keys", rows);
  const PackedKeys keys(file, "column", size, span);
  column.keys = PackedKeys(size, span);
  for (std::size_t i = 0; i < size; ++i) {
    if (keys[i] > span) file.refuse("key {} of its column is too large", i);
    column.keys.set(i, keys[i]);
  }
  if (size == rows) return column;
  const auto valid_rows = file.array<std::uint32_t>("rows", size);
  column.rows = Array<std::uint32_t>(size);
  std::uint64_t next = 0;  // the smallest row that may follow
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint32_t row = valid_rows[i];
    if (row < next || row >= rows) file.refuse("the rows of its column are not ascending");
    column.rows[i] = row;
    next = std::uint64_t{row} + 1;
  }
  return column;
}

namespace {

constexpr std::size_t grain = std::size_t{1} << 15;

bool are_distinct(std::span<const std::uint32_t> rows, std::size_t row_count) {
  RowSet named(row_count);
  std::atomic<bool> distinct = true;
  parallel_for(rows.size(), grain, [&](std::size_t first, std::size_t count) {
    for (const std::uint32_t row : rows.subspan(first, count))
      if (row >= row_count || !named.add(row)) {
        distinct = false;
        return;
      }
  });
  return distinct;
}

// Throws what is wrong with the first row for which something is.
[[noreturn]] void fail_at_first(std::span<const std::uint32_t> rows, std::size_t row_count) {
  RowSet named(row_count);
  for (const std::uint32_t row : rows) {
    if (row >= row_count)
      fail("the update names row {} but the column has {} rows", row, row_count);
    if (!named.add(row)) fail("the update names row {} twice: give each row one new key", row);
  }
  fail("the rows of the update were changed by another thread while they were read");
}

// Where every row holds a key, before and after.
EncodedColumn without_nulls(EncodedColumn column, const Changes& changes, std::uint64_t span) {
  if (!column.keys.wide() && is_wide(span)) {
    PackedKeys wide(column.size(), span);
    parallel_for(column.size(), grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) wide.set(i, column.keys[i]);
    });
    column.keys = std::move(wide);
  }
  parallel_for(changes.size, grain, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i)
      column.keys.set(changes.rows[i], changes.keys[i]);
  });
  column.span = span;
  return column;
}

EncodedColumn with_nulls(const EncodedColumn& column, const Changes& changes,
                         const ColumnView& new_keys, std::uint64_t span) {
  std::vector<std::uint64_t> all(column.row_count, 0);
  std::vector<bool> valid(column.row_count, false);
  for (std::size_t i = 0; i < column.size(); ++i) {
    all[column.row(i)] = column.keys[i];
    valid[column.row(i)] = true;
  }
  for (std::size_t i = 0; i < changes.size; ++i) {
    all[changes.rows[i]] = changes.keys[i];
    valid[changes.rows[i]] = new_keys.valid(i);
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

}  // namespace

void require_distinct(std::span<const std::uint32_t> rows, std::size_t row_count) {
  if (!are_distinct(rows, row_count)) fail_at_first(rows, row_count);
}

bool all_valid(const ColumnView& column) {
  if (!column.nullable()) return true;
  return parallel_reduce(
      column.size(), grain, true,
      [&](std::size_t first, std::size_t count) {
        bool valid = true;
        for (std::size_t row = first; row < first + count; ++row) valid &= column.valid(row);
        return valid;
      },
      [](bool a, bool b) { return a && b; });
}

EncodedColumn patched(EncodedColumn column, const Changes& changes, const ColumnView& new_keys,
                      std::uint64_t span) {
  if (column.size() == column.row_count && all_valid(new_keys))
    return without_nulls(std::move(column), changes, span);
  return with_nulls(column, changes, new_keys, span);
}

void Structure::save(FileWriter file) const { save_column(file, column()); }

}  // namespace rtindex
