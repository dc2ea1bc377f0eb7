#include "rows/row_bitmap.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <span>
#include <stdexcept>

#include "base/parallel.hpp"

namespace rtindex {

namespace {

constexpr std::size_t word_grain = std::size_t{1} << 15;

std::size_t count_bits(std::span<const std::uint32_t> words) {
  return parallel_reduce(
      words.size(), word_grain, std::size_t{0},
      [&](std::size_t first, std::size_t count) {
        std::size_t bits = 0;
        for (const std::uint32_t word : words.subspan(first, count))
          bits += static_cast<std::size_t>(std::popcount(word));
        return bits;
      },
      std::plus<>());
}

// Calls visit(i) for each i below `size` where differ(i) is not 0: few of them, so that most blocks
// are skipped.
template <class Differ, class Visit>
void visit_different(std::size_t size, Differ&& differ, Visit&& visit) {
  constexpr std::size_t block = 16;
  for (std::size_t first = 0; first < size; first += block) {
    const std::size_t end = std::min(size, first + block);
    std::uint32_t any = 0;
    for (std::size_t i = first; i < end; ++i) any |= differ(i);
    if (any == 0) continue;
    for (std::size_t i = first; i < end; ++i)
      if (differ(i) != 0) visit(i);
  }
}

[[noreturn]] void fail_of_no_version() {
  throw std::logic_error("expected a row bitmap of a version in host memory, without a filter");
}

// Versions combine their own bitmaps, never one with the filter of a query.
const HostRowBitmap& on_host(const RowBitmap& bitmap) {
  const HostRowBitmap* const host = bitmap.bits().bitmap;
  if (host == nullptr) fail_of_no_version();
  return *host;
}

}  // namespace

HostRowBitmap::HostRowBitmap(Array<std::uint32_t> words, std::size_t rows)
    : HostRowBitmap({.words = RowWords(std::as_const(words).span()),
                     .count = count_bits(std::as_const(words).span())},
                    rows) {}

HostRowBitmap::HostRowBitmap(HostRows contents, std::size_t rows) {
  bits_.rows = rows;
  bits_.bitmap = this;
  count_ = contents.count;
  contents.id = bits().id;
  rows_ = std::make_shared<const HostRows>(std::move(contents));
  if (rows_->words.page_count() == 0) return;
  bits_.words = rows_->words.directory()[0];
  if (rows_->words.page_count() > 1) bits_.pages = rows_->words.directory();
}

Array<std::uint32_t> HostRowBitmap::words() const {
  const RowWords& words = rows_->words;
  Array<std::uint32_t> copy(words.size());
  parallel_for(words.page_count(), 1, [&](std::size_t page, std::size_t) {
    const std::span<const std::uint32_t> from = words.page(page);
    std::copy(from.begin(), from.end(), copy.begin() + page * RowWords::page_size);
  });
  return copy;
}

template <class Combine>
std::shared_ptr<const HostRowBitmap> HostRowBitmap::combined(const HostRowBitmap& other,
                                                             std::size_t rows,
                                                             Combine combine) const {
  RowWords::Editor editor(rows_->words, RowBits::words_of(rows));
  const RowWords& other_words = other.rows_->words;
  std::size_t count = count_;
  const std::size_t pages = std::min(editor.page_count(), other_words.page_count());
  for (std::size_t page = 0; page < pages; ++page) {
    if (!other_words.has_page(page)) continue;
    const std::span<const std::uint32_t> theirs = other_words.page(page);
    std::uint32_t* const own = editor.edit(page);
    const std::size_t size = std::min(theirs.size(), editor.elements_in(page));
    std::size_t before = 0;
    std::size_t after = 0;
    visit_different(
        size, [&](std::size_t i) { return theirs[i]; },
        [&](std::size_t i) {
          const std::uint32_t word = combine(own[i], theirs[i]);
          before += static_cast<std::size_t>(std::popcount(own[i]));
          after += static_cast<std::size_t>(std::popcount(word));
          own[i] = word;
        });
    count = count - before + after;
  }
  return std::make_shared<const HostRowBitmap>(
      HostRows{.words = std::move(editor).finish(), .count = count}, rows);
}

RowBitmapPtr HostRowBitmap::union_with(const RowBitmap& other) const {
  const HostRowBitmap& more = on_host(other);
  return combined(more, std::max(bits().rows, more.bits().rows),
                  [](std::uint32_t a, std::uint32_t b) { return a | b; });
}

RowBitmapPtr HostRowBitmap::minus(const RowBitmap& other) const {
  auto rest = combined(on_host(other), bits().rows,
                       [](std::uint32_t a, std::uint32_t b) { return a & ~b; });
  return rest->count() == 0 ? nullptr : rest;
}

RowBitmapPtr HostRowBitmap::with_rows(std::span<const std::uint32_t> added,
                                      std::size_t row_count) const {
  const std::size_t rows = std::max(bits().rows, row_count);
  RowWords::Editor editor(rows_->words, RowBits::words_of(rows));
  HostRows changed{.count = count_, .base = bits().id};
  for (const std::uint32_t row : added) {
    const std::uint32_t bit = std::uint32_t{1} << (row % RowBits::word_bits);
    std::uint32_t& word = editor.edit_element(row / RowBits::word_bits);
    if ((word & bit) != 0) continue;
    word |= bit;
    ++changed.count;
    changed.added.push_back(row);
  }
  changed.words = std::move(editor).finish();
  return std::make_shared<const HostRowBitmap>(std::move(changed), rows);
}

std::optional<std::vector<std::uint32_t>> HostRows::added_since(const HostRows& before) const {
  if (base != 0 && base == before.id) return added;
  std::vector<std::uint32_t> new_rows;
  const RowWords& old = before.words;
  if (old.size() > words.size()) return std::nullopt;
  for (std::size_t page = 0; page < words.page_count(); ++page) {
    const bool is_old = page < old.page_count();
    if (is_old && old.directory()[page] == words.directory()[page]) continue;
    const std::span<const std::uint32_t> now = words.page(page);
    const std::span<const std::uint32_t> then =
        is_old ? old.page(page) : std::span<const std::uint32_t>();
    bool has_all = true;
    const auto add = [&](std::size_t i, std::uint32_t new_bits) {
      const std::size_t row = (page * RowWords::page_size + i) * RowBits::word_bits;
      for (std::uint32_t bits = new_bits; bits != 0; bits &= bits - 1)
        new_rows.push_back(
            static_cast<std::uint32_t>(row + static_cast<unsigned>(std::countr_zero(bits))));
    };
    visit_different(
        then.size(), [&](std::size_t i) { return now[i] ^ then[i]; },
        [&](std::size_t i) {
          has_all = has_all && (then[i] & ~now[i]) == 0;
          add(i, now[i] & ~then[i]);
        });
    const std::span<const std::uint32_t> rest = now.subspan(then.size());
    visit_different(
        rest.size(), [&](std::size_t i) { return rest[i]; },
        [&](std::size_t i) { add(then.size() + i, rest[i]); });
    if (!has_all) return std::nullopt;
  }
  return new_rows;
}

Array<std::uint32_t> FilteredRows::words() const { fail_of_no_version(); }
RowBitmapPtr FilteredRows::union_with(const RowBitmap&) const { fail_of_no_version(); }
RowBitmapPtr FilteredRows::minus(const RowBitmap&) const { fail_of_no_version(); }

RowBitmapBuilder::RowBitmapBuilder(std::size_t rows)
    : words_(RowBits::words_of(rows)), rows_(rows) {
  parallel_for(words_.size(), word_grain, [&](std::size_t first, std::size_t count) {
    std::fill_n(words_.data() + first, count, 0);
  });
}

std::size_t RowBitmapBuilder::count() const { return count_bits(words_.span()); }

RowBitmapPtr RowBitmapBuilder::finish() && {
  auto bitmap = std::make_shared<HostRowBitmap>(std::move(words_), rows_);
  return bitmap->count() == 0 ? nullptr : bitmap;
}

RowBitmapPtr SparseBitmapBuilder::finish() && {
  if (count_ == 0) return nullptr;
  return std::make_shared<const HostRowBitmap>(
      HostRows{.words = std::move(words_).finish(), .count = count_}, rows_);
}

RowBitmapPtr with_rows(const RowBitmapPtr& bitmap, std::span<const std::uint32_t> added,
                       std::size_t row_count) {
  if (bitmap != nullptr) return on_host(*bitmap).with_rows(added, row_count);
  SparseBitmapBuilder alone(row_count);
  for (const std::uint32_t row : added) alone.add(row);
  return std::move(alone).finish();
}

}  // namespace rtindex
