#include "rows/check_rows.hpp"

#include <algorithm>
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

template <class T>
void copy_rows(const ColumnView& rows, std::vector<std::uint32_t>& copied) {
  const std::span elements(static_cast<const T*>(rows.data()), rows.size());
  copied.reserve(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (!std::in_range<std::uint32_t>(elements[i]))
      fail("invalid row {} (element {}): expected 0 to 2^32 - 2", elements[i], i);
    copied.push_back(static_cast<std::uint32_t>(elements[i]));
  }
}

}  // namespace

ColumnView as_row_ids(const ColumnView& rows, std::vector<std::uint32_t>& copied) {
  if (rows.type() == Type::u32 || rows.empty()) return rows;
  if (rows.memory_space() == MemorySpace::device)
    fail("expected rows in device memory as uint32, got {}", name_of(rows.type()));
  switch (rows.type()) {
    case Type::u8: copy_rows<std::uint8_t>(rows, copied); break;
    case Type::u16: copy_rows<std::uint16_t>(rows, copied); break;
    case Type::u64: copy_rows<std::uint64_t>(rows, copied); break;
    case Type::i8: copy_rows<std::int8_t>(rows, copied); break;
    case Type::i16: copy_rows<std::int16_t>(rows, copied); break;
    case Type::i32: copy_rows<std::int32_t>(rows, copied); break;
    case Type::i64: copy_rows<std::int64_t>(rows, copied); break;
    default: fail("expected rows as integers, got {}", name_of(rows.type()));
  }
  return copied;
}

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

std::size_t check_few_rows(std::span<const std::uint32_t> rows, std::size_t row_count,
                           const RowBitmapPtr& erased, const RowBitmapPtr& nulls) {
  const RowBits erased_rows = bits_of(erased);
  const RowBits null_rows = bits_of(nulls);
  std::size_t null_count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto earlier = rows.first(i);
    if (rows[i] >= row_count || erased_rows.has(rows[i]) ||
        std::find(earlier.begin(), earlier.end(), rows[i]) != earlier.end())
      fail_wrong_row(rows, row_count, erased_rows);
    null_count += null_rows.has(rows[i]) ? 1 : 0;
  }
  return null_count;
}

}  // namespace rtindex
