#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "answers/matches.hpp"
#include "answers/row_bits.hpp"
#include "base/array.hpp"
#include "base/parallel.hpp"

namespace rtindex {

// Dead rows by position, a bit each, that somebody else holds.
class DeadBits {
 public:
  static constexpr std::uint64_t word_bits = 64;

  DeadBits() = default;
  // `origin`: the position of the first bit.
  DeadBits(const std::uint64_t* words, std::uint64_t origin) : words_(words), origin_(origin) {}

  [[nodiscard]] bool has(std::uint64_t position) const {
    const std::uint64_t bit = position - origin_;
    return (words_[bit / word_bits] >> (bit % word_bits) & 1) != 0;
  }
  // Calls visit(position, is_dead) for each position.
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
  // How many of the positions are dead.
  [[nodiscard]] std::uint64_t count(const Match& match) const {
    std::uint64_t dead = 0;
    for_each_word(match, [&](std::uint64_t word, std::uint64_t) { dead += bits_in(word); });
    return dead;
  }
  // Calls visit(position) for each that is dead.
  template <class Visit>
  void visit_dead(const Match& match, Visit&& visit) const {
    for_each_word(match, [&](std::uint64_t word, std::uint64_t first) {
      for (; word != 0; word &= word - 1)
        visit(first + static_cast<std::uint64_t>(std::countr_zero(word)));
    });
  }
  // The first position that is not dead; the end where all are.
  [[nodiscard]] std::uint64_t first_live(const Match& match) const {
    for (std::uint64_t at = match.begin; at < match.end;) {
      const std::uint64_t bit = at - origin_;
      const std::uint64_t live = ~words_[bit / word_bits] >> (bit % word_bits);
      if (live != 0)
        return std::min(match.end, at + static_cast<std::uint64_t>(std::countr_zero(live)));
      at += word_bits - bit % word_bits;
    }
    return match.end;
  }

  // The last position that is not dead; the end where all are.
  [[nodiscard]] std::uint64_t last_live(const Match& match) const {
    for (std::uint64_t end = match.end; end > match.begin;) {
      const std::uint64_t bit = end - 1 - origin_;
      const std::uint64_t used = bit % word_bits + 1;
      const std::uint64_t live = ~words_[bit / word_bits] << (word_bits - used);
      if (live != 0) {
        const std::uint64_t at = end - 1 - static_cast<std::uint64_t>(std::countl_zero(live));
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

// Sets the bits of the dead rows of a match, whose first position gets the first bit; false where
// there are none. The caller prefetches the words of the set: prefetcher.next() is called before
// each row.
template <class Rows, class Prefetcher>
bool mark_dead(const Match& match, const Rows& rows, const RowBits& dead, Prefetcher& prefetcher,
               std::uint64_t* words) {
  std::uint64_t any = 0;
  for (std::uint64_t begin = match.begin; begin < match.end; begin += DeadBits::word_bits) {
    const std::uint64_t count = std::min(DeadBits::word_bits, match.end - begin);
    std::uint64_t word = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      prefetcher.next();
      word |= std::uint64_t{dead.has(rows[begin + i])} << i;
    }
    *words++ = word;
    any |= word;
  }
  return any != 0;
}

// The same with a prefetcher of its own, by all threads where the match is long.
template <class Rows>
void mark_dead(const Match& match, const Rows& rows, const RowBits& dead, std::uint64_t* words) {
  static_assert(matches::piece_rows % DeadBits::word_bits == 0, "pieces must not share a word");
  parallel_for(match.size(), matches::piece_rows, [&](std::size_t first, std::size_t count) {
    const Match piece{match.begin + first, match.begin + first + count};
    matches::Prefetcher prefetcher([&](std::uint32_t row) { return dead.address(row); }, rows,
                                   &piece, 1);
    mark_dead(piece, rows, dead, prefetcher, words + first / DeadBits::word_bits);
  });
}

// All dead rows of a structure by position, with the number of those before every block: a count
// takes as long for a million rows as for one.
class DeadPositions {
 public:
  // Of positions 0..size-1.
  template <class Rows>
  DeadPositions(std::size_t size, const Rows& rows, const RowBits& dead)
      : before_(size / block + 1), words_(before_.size() * words_per_block) {
    mark_dead({0, size}, rows, dead, words_.data());
    std::fill(words_.begin() + DeadBits::words_of(size), words_.end(), 0);
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      before_[i] = count;
      for (std::size_t word = 0; word < words_per_block; ++word)
        count += DeadBits::bits_in(words_[i * words_per_block + word]);
    }
  }

  [[nodiscard]] DeadBits bits() const { return {words_.data(), 0}; }
  [[nodiscard]] std::uint64_t count(const Match& match) const {
    return before(match.end) - before(match.begin);
  }
  // What count() and bits() read.
  void prefetch(const Match& match) const {
    for (const std::uint64_t position : {match.begin, match.end}) {
      rtindex::prefetch(words_.data() + position / DeadBits::word_bits);
      rtindex::prefetch(before_.data() + position / block);
    }
  }
  [[nodiscard]] std::size_t bytes() const { return words_.bytes() + before_.bytes(); }

 private:
  static constexpr std::uint64_t words_per_block = 2;
  static constexpr std::uint64_t block = words_per_block * DeadBits::word_bits;

  // How many positions before this one are dead.
  [[nodiscard]] std::uint64_t before(std::uint64_t position) const {
    const std::uint64_t* const words = words_.data() + position / block * words_per_block;
    const std::uint64_t bit = position % block;
    const bool is_second = bit >= DeadBits::word_bits;
    const std::uint64_t below = (std::uint64_t{1} << (bit % DeadBits::word_bits)) - 1;
    return std::uint64_t{before_.data()[position / block]} +
           DeadBits::bits_in(is_second ? words[0] : 0) +
           DeadBits::bits_in(words[is_second ? 1 : 0] & below);
  }

  Array<std::uint32_t> before_;  // every block
  Array<std::uint64_t> words_;   // the last ones are zero, so that a position may be `size`
};

}  // namespace rtindex
