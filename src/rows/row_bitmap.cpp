#include "rows/row_bitmap.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <span>

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

}  // namespace

HostRowBitmap::HostRowBitmap(Array<std::uint32_t> words, std::size_t rows)
    : HostRowBitmap(RowWords(std::as_const(words).span()), rows,
                    count_bits(std::as_const(words).span())) {}

HostRowBitmap::HostRowBitmap(RowWords words, std::size_t rows, std::size_t count)
    : words_(std::move(words)) {
  bits_.rows = rows;
  bits_.bitmap = this;
  count_ = count;
  if (words_.page_count() == 0) return;
  bits_.words = words_.directory()[0];
  if (words_.page_count() > 1) bits_.pages = words_.directory();
}

Array<std::uint32_t> HostRowBitmap::words() const {
  Array<std::uint32_t> copy(words_.size());
  parallel_for(words_.page_count(), 1, [&](std::size_t page, std::size_t) {
    const std::span<const std::uint32_t> from = words_.page(page);
    std::copy(from.begin(), from.end(), copy.begin() + page * RowWords::page_size);
  });
  return copy;
}

template <class Combine>
std::shared_ptr<const HostRowBitmap> HostRowBitmap::combined(const HostRowBitmap& other,
                                                             std::size_t rows,
                                                             Combine combine) const {
  RowWords::Editor editor(words_, RowBits::words_of(rows));
  std::size_t count = count_;
  const std::size_t pages = std::min(editor.page_count(), other.words_.page_count());
  for (std::size_t page = 0; page < pages; ++page) {
    if (!other.words_.has_page(page)) continue;
    const std::span<const std::uint32_t> theirs = other.words_.page(page);
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
  return std::make_shared<const HostRowBitmap>(std::move(editor).finish(), rows, count);
}

RowBitmapPtr HostRowBitmap::union_with(const RowBitmap& other) const {
  const auto& more = static_cast<const HostRowBitmap&>(other);
  return combined(more, std::max(bits().rows, more.bits().rows),
                  [](std::uint32_t a, std::uint32_t b) { return a | b; });
}

RowBitmapPtr HostRowBitmap::minus(const RowBitmap& other) const {
  auto rest = combined(static_cast<const HostRowBitmap&>(other), bits().rows,
                       [](std::uint32_t a, std::uint32_t b) { return a & ~b; });
  return rest->count() == 0 ? nullptr : rest;
}

std::optional<std::vector<std::uint32_t>> HostRowBitmap::added_since(
    const HostRowBitmap& before) const {
  std::vector<std::uint32_t> added;
  const RowWords& old = before.words_;
  if (old.size() > words_.size()) return std::nullopt;
  for (std::size_t page = 0; page < words_.page_count(); ++page) {
    const bool is_old = page < old.page_count();
    if (is_old && old.directory()[page] == words_.directory()[page]) continue;
    const std::span<const std::uint32_t> now = words_.page(page);
    const std::span<const std::uint32_t> then =
        is_old ? old.page(page) : std::span<const std::uint32_t>();
    bool has_all = true;
    const auto add = [&](std::size_t i, std::uint32_t new_bits) {
      const std::size_t row = (page * RowWords::page_size + i) * RowBits::word_bits;
      for (std::uint32_t bits = new_bits; bits != 0; bits &= bits - 1)
        added.push_back(
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
  return added;
}

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
  return std::make_shared<const HostRowBitmap>(std::move(words_).finish(), rows_, count_);
}

}  // namespace rtindex
