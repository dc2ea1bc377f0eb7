#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "answers/matches.hpp"
#include "base/array.hpp"
#include "base/parallel.hpp"
#include "rows/row_bits.hpp"

namespace rtindex {

// A view of a bitmap of deleted rows by position.
class DeletedBits {
 public:
  static constexpr std::uint64_t word_bits = 64;

  DeletedBits() = default;
  // `origin`: the position of the first bit.
  DeletedBits(const std::uint64_t* words, std::uint64_t origin) : words_(words), origin_(origin) {}

  [[nodiscard]] bool has(std::uint64_t position) const {
    const std::uint64_t bit = position - origin_;
    return (words_[bit / word_bits] >> (bit % word_bits) & 1) != 0;
  }
  // Calls visit(position, is_deleted) for each position.
  template <class Visit>
  void visit_all(const Match& match, Visit&& visit) const {
    for (std::uint64_t at = match.begin; at < match.end;) {
      const std::uint64_t bit = at - origin_;
      const std::uint64_t end = std::min(match.end, at + word_bits - bit % word_bits);
      for (std::uint64_t word = words_[bit / word_bits] >> (bit % word_bits); at < end;
           ++at, word >>= 1)
        visit(at, (word & 1) != 0);
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
      const std::uint64_t valid = ~words_[bit / word_bits] >> (bit % word_bits);
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
      const std::uint64_t valid = ~words_[bit / word_bits] << (word_bits - used);
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
      std::uint64_t word = words_[i];
      if (i == first / word_bits) word &= ~std::uint64_t{0} << (first % word_bits);
      if (i == last / word_bits) word &= ~std::uint64_t{0} >> (word_bits - 1 - last % word_bits);
      visit(word, origin_ + i * word_bits);
    }
  }

  const std::uint64_t* words_ = nullptr;
  std::uint64_t origin_ = 0;
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
// counting is O(1).
class DeletedPositions {
 public:
  // Of positions 0..size-1.
  template <class Rows>
  DeletedPositions(std::size_t size, const Rows& rows, const RowBits& deleted)
      : before_(size / block + 1), words_(before_.size() * words_per_block) {
    mark_deleted({0, size}, rows, deleted, words_.data());
    std::fill(words_.begin() + DeletedBits::words_of(size), words_.end(), 0);
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      before_[i] = count;
      for (std::size_t word = 0; word < words_per_block; ++word)
        count += DeletedBits::bits_in(words_[i * words_per_block + word]);
    }
  }

  [[nodiscard]] DeletedBits bits() const { return {words_.data(), 0}; }
  [[nodiscard]] std::uint64_t count(const Match& match) const {
    return before(match.end) - before(match.begin);
  }
  // What count() and bits() read.
  void prefetch(const Match& match) const {
    for (const std::uint64_t position : {match.begin, match.end}) {
      rtindex::prefetch(words_.data() + position / DeletedBits::word_bits);
      rtindex::prefetch(before_.data() + position / block);
    }
  }
  [[nodiscard]] std::size_t bytes() const { return words_.bytes() + before_.bytes(); }

 private:
  static constexpr std::uint64_t words_per_block = 2;
  static constexpr std::uint64_t block = words_per_block * DeletedBits::word_bits;

  // How many positions before this one are deleted.
  [[nodiscard]] std::uint64_t before(std::uint64_t position) const {
    const std::uint64_t* const words = words_.data() + position / block * words_per_block;
    const std::uint64_t bit = position % block;
    const bool is_second = bit >= DeletedBits::word_bits;
    const std::uint64_t below = (std::uint64_t{1} << (bit % DeletedBits::word_bits)) - 1;
    return std::uint64_t{before_.data()[position / block]} +
           DeletedBits::bits_in(is_second ? words[0] : 0) +
           DeletedBits::bits_in(words[is_second ? 1 : 0] & below);
  }

  Array<std::uint32_t> before_;  // every block
  Array<std::uint64_t> words_;   // the last ones are zero, so that a position may be `size`
};

}  // namespace rtindex
