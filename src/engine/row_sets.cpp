#include <algorithm>
#include <atomic>

#include "answers/answers.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "engine/backend.hpp"
#include "engine/row_sets.hpp"
#include "rows/row_bitmap.hpp"

namespace rtindex {

namespace {

constexpr std::size_t row_grain = std::size_t{1} << 15;

}  // namespace

void fail_unknown_row(std::uint32_t row, std::size_t rows) {
  fail("row {} does not exist: the index has {} rows", row, rows);
}
void fail_repeated_row(std::uint32_t row) {
  fail("row {} is named twice: name each row once", row);
}
void fail_erased_row(std::uint32_t row) { fail("row {} is erased: insert a new row instead", row); }

CheckedRows Backend::check_rows(const Spec&, const ColumnView& rows, const RowStates& states,
                                Stream) const {
  const std::span<const std::uint32_t> list = row_ids(rows);
  const RowBits erased = bits_of(states.erased);
  const RowBits nulls = bits_of(states.nulls);
  RowBitmapBuilder named(states.rows);
  std::atomic<bool> wrong = false;
  std::atomic<std::size_t> null_rows = 0;
  parallel_for(list.size(), row_grain, [&](std::size_t first, std::size_t count) {
    std::size_t here = 0;
    for (const std::uint32_t row : list.subspan(first, count)) {
      if (row >= states.rows || erased.has(row) || !named.add(row)) {
        wrong = true;
        return;
      }
      here += nulls.has(row) ? 1 : 0;
    }
    null_rows += here;
  });
  if (!wrong) return {std::move(named).finish(), null_rows};
  RowBitmapBuilder seen(states.rows);
  for (const std::uint32_t row : list) {
    if (row >= states.rows) fail_unknown_row(row, states.rows);
    if (erased.has(row)) fail_erased_row(row);
    if (!seen.add(row)) fail_repeated_row(row);
  }
  fail("the rows of the change were written by another thread while they were read");
}

RowBitmapPtr Backend::union_of(const Spec&, const RowBitmapPtr& a, const RowBitmapPtr& b) const {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  const bool a_is_longer = a->bits().rows >= b->bits().rows;
  const RowBits longer = a_is_longer ? a->bits() : b->bits();
  const RowBits shorter = a_is_longer ? b->bits() : a->bits();
  const std::size_t common = RowBits::words_of(shorter.rows);
  Array<std::uint32_t> words(RowBits::words_of(longer.rows));
  parallel_for(words.size(), row_grain, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i)
      words[i] = longer.words[i] | (i < common ? shorter.words[i] : 0);
  });
  return std::make_shared<HostRowBitmap>(std::move(words), longer.rows);
}

RowBitmapPtr Backend::difference(const Spec&, const RowBitmapPtr& a, const RowBitmapPtr& b) const {
  if (a == nullptr || b == nullptr) return a;
  const std::size_t common = RowBits::words_of(b->bits().rows);
  Array<std::uint32_t> words(RowBits::words_of(a->bits().rows));
  parallel_for(words.size(), row_grain, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i)
      words[i] = a->bits().words[i] & ~(i < common ? b->bits().words[i] : 0);
  });
  auto bitmap = std::make_shared<HostRowBitmap>(std::move(words), a->bits().rows);
  return bitmap->count() == 0 ? nullptr : bitmap;
}

RowBitmapPtr Backend::load_bitmap(const Spec&, Array<std::uint32_t> words, std::size_t rows,
                                  const std::shared_ptr<DeviceMemory>&) const {
  return std::make_shared<HostRowBitmap>(std::move(words), rows);
}

RowBitmapPtr Backend::matching_rows(const Spec&, std::span<const Segment> segments,
                                    const ColumnView& keys, std::size_t row_count, Stream) const {
  AnswersAccess access({.answers = Answer::rows}, keys.size());
  answer(segments, keys, keys, QueryKind::equal, access.request());
  const Answers found = access.finish();
  RowBitmapBuilder marked(row_count);
  const std::span<const std::uint32_t> rows = found.rows();
  parallel_for(rows.size(), row_grain, [&](std::size_t first, std::size_t count) {
    // Two equal keys match the same rows.
    for (const std::uint32_t row : rows.subspan(first, count)) static_cast<void>(marked.add(row));
  });
  return std::move(marked).finish();
}

}  // namespace rtindex
