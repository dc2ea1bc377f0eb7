#include "rows/check_rows.hpp"

#include <atomic>
#include <utility>

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace rtindex {

namespace {

constexpr std::size_t row_grain = std::size_t{1} << 15;

// Names the first row that is wrong.
[[noreturn]] void fail_wrong_row(std::span<const std::uint32_t> rows, std::size_t row_count,
                                 RowBits erased) {
  SparseBitmapBuilder seen(row_count);
  for (const std::uint32_t row : rows) {
    if (row >= row_count) fail("row {} does not exist: the index has {} rows", row, row_count);
    if (erased.has(row)) fail("row {} is erased: insert a new row instead", row);
    if (!seen.add(row)) fail("row {} is named twice: name each row once", row);
  }
  fail("the rows of the change were written by another thread while they were read");
}

}  // namespace

CheckedRows check_rows(std::span<const std::uint32_t> rows, std::size_t row_count,
                       const RowBitmapPtr& erased, const RowBitmapPtr& nulls) {
  const RowBits erased_rows = bits_of(erased);
  const RowBits null_rows = bits_of(nulls);
  std::atomic<bool> wrong = false;
  std::atomic<std::size_t> null_count = 0;
  const auto check = [&](auto& named, std::size_t first, std::size_t count) {
    std::size_t here = 0;
    for (const std::uint32_t row : rows.subspan(first, count)) {
      if (row >= row_count || erased_rows.has(row) || !named.add(row)) {
        wrong = true;
        return;
      }
      here += null_rows.has(row) ? 1 : 0;
    }
    null_count += here;
  };
  RowBitmapPtr named_rows;
  if (rows.size() <= row_grain) {
    SparseBitmapBuilder named(row_count);
    check(named, 0, rows.size());
    named_rows = std::move(named).finish();
  } else {
    RowBitmapBuilder named(row_count);
    parallel_for(rows.size(), row_grain,
                 [&](std::size_t first, std::size_t count) { check(named, first, count); });
    named_rows = std::move(named).finish();
  }
  if (wrong) fail_wrong_row(rows, row_count, erased_rows);
  return {std::move(named_rows), null_count};
}

}  // namespace rtindex
