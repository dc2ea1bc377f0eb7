#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "answers/matches.hpp"
#include "answers/page_sums.hpp"
#include "base/array.hpp"
#include "base/parallel.hpp"
#include "file/stored.hpp"
#include "rows/row_bits.hpp"
#include "rows/shared_pages.hpp"

namespace rtindex {

// A bitmap by position, in pages.
using PositionWords = SharedPages<std::uint64_t, 9>;

// A view of a bitmap of deleted rows by position.
class DeletedBits {
 public:
  static constexpr std::uint64_t word_bits = 64;

  // Unset: a view for each lookup of a block takes time even to clear.
  DeletedBits() = default;
  // `origin`: the position of the first bit.
  DeletedBits(const std::uint64_t* words, std::uint64_t origin)
      : words_(words), pages_(nullptr), origin_(origin) {}
  // Bits in pages, from position 0 on.
  explicit DeletedBits(const PositionWords& words)
      : words_(words.directory()[0]),
        pages_(words.page_count() == 1 ? nullptr : words.directory()),
        origin_(0) {}

  [[nodiscard]] bool has(std::uint64_t position) const {
    const std::uint64_t bit = position - origin_;
    return (word(bit / word_bits) >> (bit % word_bits) & 1) != 0;
  }
  // Calls visit(position, is_deleted) for each position.
  template <class Visit>
  void visit_all(const Match& match, Visit&& visit) const {
    for (std::uint64_t at = match.begin; at < match.end;) {
      const std::uint64_t bit = at - origin_;
      const std::uint64_t end = std::min(match.end, at + word_bits - bit % word_bits);
      for (std::uint64_t bits = word(bit / word_bits) >> (bit % word_bits); at < end;
           ++at, bits >>= 1)
        visit(at, (bits & 1) != 0);
    }
  }
  // How many of the positions are deleted.
  [[nodiscard]] std::uint64_t count(const Match& match) const {
    std::uint64_t deleted = 0;
    for_each_word(match, [&](std::uint64_t word, std::uint64_t) { deleted += bits_in(word); });
    return deleted;
  }
  // Calls visit(position) for each that is deleted.
  template <class Visit>
  void visit_deleted(const Match& match, Visit&& visit) const {
    for_each_word(match, [&](std::uint64_t word, std::uint64_t first) {
      for (; word != 0; word &= word - 1)
        visit(first + static_cast<std::uint64_t>(std::countr_zero(word)));
    });
  }
  // The first valid position; the end if there is none.
  [[nodiscard]] std::uint64_t first_valid(const Match& match) const {
    for (std::uint64_t at = match.begin; at < match.end;) {
      const std::uint64_t bit = at - origin_;
      const std::uint64_t valid = ~word(bit / word_bits) >> (bit % word_bits);
      if (valid != 0)
        return std::min(match.end, at + static_cast<std::uint64_t>(std::countr_zero(valid)));
      at += word_bits - bit % word_bits;
    }
    return match.end;
  }

  // The last valid position; the end if there is none.
  [[nodiscard]] std::uint64_t last_valid(const Match& match) const {
    for (std::uint64_t end = match.end; end > match.begin;) {
      const std::uint64_t bit = end - 1 - origin_;
      const std::uint64_t used = bit % word_bits + 1;
      const std::uint64_t valid = ~word(bit / word_bits) << (word_bits - used);
      if (valid != 0) {
        const std::uint64_t at = end - 1 - static_cast<std::uint64_t>(std::countl_zero(valid));
        return at >= match.begin ? at : match.end;
      }
      end -= std::min(used, end - match.begin);
    }
    return match.end;
  }

  [[nodiscard]] static std::uint32_t bits_in(std::uint64_t word) {
    return static_cast<std::uint32_t>(std::popcount(word));
  }
  [[nodiscard]] static constexpr std::uint64_t words_of(std::uint64_t positions) {
    return (positions + word_bits - 1) / word_bits;
  }

 private:
  // Calls visit(word, position of its first bit) for all words, without the bits of other
  // positions.
  template <class Visit>
  void for_each_word(const Match& match, Visit&& visit) const {
    if (match.size() == 0) return;
    const std::uint64_t first = match.begin - origin_;
    const std::uint64_t last = match.end - 1 - origin_;
    for (std::uint64_t i = first / word_bits; i <= last / word_bits; ++i) {
      std::uint64_t bits = word(i);
      if (i == first / word_bits) bits &= ~std::uint64_t{0} << (first % word_bits);
      if (i == last / word_bits) bits &= ~std::uint64_t{0} >> (word_bits - 1 - last % word_bits);
      visit(bits, origin_ + i * word_bits);
    }
  }
  [[nodiscard]] std::uint64_t word(std::uint64_t i) const {
    return pages_ == nullptr ? words_[i]
                             : pages_[i / PositionWords::page_size][i % PositionWords::page_size];
  }

  const std::uint64_t* words_;
  const std::uint64_t* const* pages_;  // null: `words_` are all
  std::uint64_t origin_;
};

// Sets the bits of the deleted rows of a match, from its first position on; returns whether there
// are any. prefetcher.next() is called before each row, to prefetch words of the row bitmap.
template <class Rows, class Prefetcher>
bool mark_deleted(const Match& match, const Rows& rows, const RowBits& deleted,
                  Prefetcher& prefetcher, std::uint64_t* words) {
  std::uint64_t any = 0;
  for (std::uint64_t begin = match.begin; begin < match.end; begin += DeletedBits::word_bits) {
    const std::uint64_t count = std::min(DeletedBits::word_bits, match.end - begin);
    std::uint64_t word = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      prefetcher.next();
      word |= std::uint64_t{deleted.has(rows[begin + i])} << i;
    }
    *words++ = word;
    any |= word;
  }
  return any != 0;
}

// mark_deleted() with a prefetcher of its own, by all threads if the match is long.
template <class Rows>
void mark_deleted(const Match& match, const Rows& rows, const RowBits& deleted,
                  std::uint64_t* words) {
  static_assert(matches::piece_rows % DeletedBits::word_bits == 0, "pieces must not share a word");
  parallel_for(match.size(), matches::piece_rows, [&](std::size_t first, std::size_t count) {
    const Match piece{match.begin + first, match.begin + first + count};
    matches::Prefetcher prefetcher([&](std::uint32_t row) { return deleted.address(row); }, rows,
                                   &piece, 1);
    mark_deleted(piece, rows, deleted, prefetcher, words + first / DeletedBits::word_bits);
  });
}

// All deleted rows of a structure by position, with the number of those before every block, so that
// counting is O(1). A copy with more deleted rows shares the pages that do not change; moved from
// its only owner, it is changed in place.
class DeletedPositions {
 public:
  // None of `size` positions is deleted.
  explicit DeletedPositions(std::size_t size)
      : words_((size / block + 1) * words_per_block),
        before_(size / block + 1),
        before_page_(words_.page_count()) {}
  // Of positions 0..size-1.
  template <class Rows>
  DeletedPositions(std::size_t size, const Rows& rows, const RowBits& deleted)
      : DeletedPositions(size) {
    Array<std::uint64_t> words(words_.size());
    mark_deleted({0, size}, rows, deleted, words.data());
    std::fill(words.begin() + DeletedBits::words_of(size), words.end(), 0);
    set_words(std::as_const(words).span());
  }
  // Positions for which is_deleted(position) is true.
  template <class IsDeleted>
  DeletedPositions(std::size_t size, const IsDeleted& is_deleted) : DeletedPositions(size) {
    Array<std::uint64_t> words(words_.size());
    parallel_for(words.size(), words_at_once, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) {
        words[i] = 0;
        const std::size_t begin = i * DeletedBits::word_bits;
        for (std::size_t at = begin; at < std::min(size, begin + DeletedBits::word_bits); ++at)
          words[i] |= std::uint64_t{is_deleted(at)} << (at - begin);
      }
    });
    set_words(std::as_const(words).span());
  }
  DeletedPositions(const FileReader& file, std::size_t size) : DeletedPositions(size) {
    const Array<std::uint64_t> words = file.array<std::uint64_t>("words", words_.size());
    set_words(words.span());
  }
  void save(FileWriter file) const {
    Array<std::uint64_t> words(words_.size());
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = words_[i];
    file.array("words", std::move(words));
  }
  // Those of `base` and these positions too.
  DeletedPositions(DeletedPositions base, std::span<const std::uint32_t> added)
      : before_page_(std::move(base.before_page_)) {
    const std::size_t word_count = base.words_.size();
    const std::size_t block_count = base.before_.size();
    PositionWords::Editor words(std::move(base.words_), word_count);
    BlockCounts::Editor before(std::move(base.before_), block_count);
    for (const std::uint32_t position : added) {
      const std::uint64_t bit = std::uint64_t{1} << (position % DeletedBits::word_bits);
      std::uint64_t& word = words.edit_element(position / DeletedBits::word_bits);
      if ((word & bit) != 0) continue;
      word |= bit;
      add_from(position / block + 1, std::uint32_t{1}, before, before_page_);
    }
    words_ = std::move(words).finish();
    before_ = std::move(before).finish();
  }

  [[nodiscard]] DeletedBits bits() const { return DeletedBits(words_); }
  [[nodiscard]] std::uint64_t count(const Match& match) const {
    return before(match.end) - before(match.begin);
  }
  // What count() and bits() read.
  void prefetch(const Match& match) const {
    for (const std::uint64_t position : {match.begin, match.end}) {
      rtindex::prefetch(&words_[position / DeletedBits::word_bits]);
      rtindex::prefetch(&before_[position / block]);
    }
  }
  [[nodiscard]] std::size_t bytes() const {
    return words_.bytes() + before_.bytes() + before_page_.bytes();
  }

 private:
  static constexpr std::uint64_t words_per_block = 2;
  static constexpr std::uint64_t block = words_per_block * DeletedBits::word_bits;
  static constexpr std::size_t words_at_once = std::size_t{1} << 10;
  // One page for each page of words.
  using BlockCounts = SharedPages<std::uint32_t, 8>;
  static_assert(BlockCounts::page_size * words_per_block == PositionWords::page_size);

  void set_words(std::span<const std::uint64_t> words) {
    words_ = PositionWords(words);
    BlockCounts::Editor before(std::move(before_), words_.size() / words_per_block);
    std::vector<std::uint32_t> before_page(words_.page_count());
    std::uint32_t count = 0;
    for (std::size_t page = 0; page < before_page.size(); ++page) {
      before_page[page] = count;
      count += count_blocks(page, before);
    }
    before_page_ = PageSums(before_page);
    before_ = std::move(before).finish();
  }
  // Counts the bits before each block of a page; returns those of the page.
  std::uint32_t count_blocks(std::size_t page, BlockCounts::Editor& before) const {
    if (!words_.has_page(page)) return 0;
    const std::span<const std::uint64_t> words = words_.page(page);
    std::uint32_t* const counts = before.edit(page);
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (i % words_per_block == 0) counts[i / words_per_block] = count;
      count += DeletedBits::bits_in(words[i]);
    }
    return count;
  }
  // How many positions before this one are deleted.
  [[nodiscard]] std::uint64_t before(std::uint64_t position) const {
    const std::uint64_t* const words = &words_[position / block * words_per_block];
    const std::uint64_t bit = position % block;
    const bool is_second = bit >= DeletedBits::word_bits;
    const std::uint64_t below = (std::uint64_t{1} << (bit % DeletedBits::word_bits)) - 1;
    return std::uint64_t{before_page_[position / (block * BlockCounts::page_size)] +
                         before_[position / block]} +
           DeletedBits::bits_in(is_second ? words[0] : 0) +
           DeletedBits::bits_in(words[is_second ? 1 : 0] & below);
  }

  PositionWords words_;                  // the last ones are zero: a position may be `size`
  BlockCounts before_;                   // those before every block, less those before its page
  PageSums<std::uint32_t> before_page_;  // those before every page
};

// DeletedBits of a whole structure, which are counted in O(1).
class CountedBits : public DeletedBits {
 public:
  explicit CountedBits(const DeletedPositions& positions)
      : DeletedBits(positions.bits()), positions_(&positions) {}

  [[nodiscard]] std::uint64_t count(const Match& match) const { return positions_->count(match); }

 private:
  const DeletedPositions* positions_;
};

}  // namespace rtindex
