#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "answers/deleted_positions.hpp"
#include "answers/deleted_sets.hpp"
#include "answers/matches.hpp"
#include "answers/request.hpp"

namespace rtindex {

// Which rows of the matches of a block of lookups are deleted. The matches are cut: each begins
// with a valid row, or is empty.
class ValidMatches {
 public:
  // Tests each row.
  template <class Rows>
  ValidMatches(Match* found, std::size_t count, const Rows& rows, const RowBits& deleted) {
    std::uint64_t words = 0;
    std::uint64_t matching = 0;
    for (std::size_t i = 0; i < count; ++i) {
      words += DeletedBits::words_of(found[i].size());
      matching += found[i].size();
    }
    words_.resize(words);
    if (matching <= few_rows) {
      for (std::size_t i = 0; i < count; ++i)
        for (std::uint64_t at = found[i].begin; at < found[i].end; ++at)
          prefetch(deleted.address(rows[at]));
      struct {
        void next() const {}
      } prefetched;
      test(found, count, rows, deleted, prefetched);
      return;
    }
    Match buffer[chunk_lookups];
    const Match* const others = matches::without_long(found, count, buffer);
    matches::Prefetcher prefetcher([&](std::uint32_t row) { return deleted.address(row); }, rows,
                                   others, count);
    test(found, count, rows, deleted, prefetcher);
  }

  // Reads the deleted rows of the whole structure.
  ValidMatches(Match* found, std::size_t count, const DeletedPositions& positions)
      : positions_(&positions), all_valid_(false) {
    for (std::size_t i = 0; i < count; ++i) positions.prefetch(found[i]);
    for (std::size_t i = 0; i < count; ++i) {
      deleted_[i] = positions.bits();
      found[i].begin = deleted_[i].first_valid(found[i]);
    }
  }

  // Whether no deleted row is left in the matches.
  [[nodiscard]] bool all_valid() const { return all_valid_; }
  // See AllValid.
  [[nodiscard]] const DeletedBits& deleted(std::size_t i) const { return deleted_[i]; }
  [[nodiscard]] std::uint64_t count(std::size_t i, const Match& match) const {
    return match.size() -
           (positions_ != nullptr ? positions_->count(match) : deleted_[i].count(match));
  }

  // The deleted rows of the whole structure, if they were passed.
  [[nodiscard]] const DeletedPositions* positions() const { return positions_; }

 private:
  // So few can be prefetched at once.
  static constexpr std::uint64_t few_rows = 8 * chunk_lookups;

  template <class Rows, class Prefetcher>
  void test(Match* found, std::size_t count, const Rows& rows, const RowBits& deleted,
            Prefetcher& prefetcher) {
    std::uint64_t* next = words_.data();
    for (std::size_t i = 0; i < count; ++i) {
      deleted_[i] = {next, found[i].begin};
      std::uint64_t* const words =
          std::exchange(next, next + DeletedBits::words_of(found[i].size()));
      if (matches::is_long(found[i]))
        mark_deleted(found[i], rows, deleted, words);
      else if (!mark_deleted(found[i], rows, deleted, prefetcher, words))
        continue;
      found[i].begin = deleted_[i].first_valid(found[i]);
      all_valid_ = all_valid_ && deleted_[i].count(found[i]) == 0;
    }
  }

  const DeletedPositions* positions_ = nullptr;
  std::vector<std::uint64_t> words_;  // of all matches, where they were tested
  DeletedBits deleted_[chunk_lookups];
  bool all_valid_ = true;
};

// Cuts matches of at most one row, the common case of points. Returns false, with the matches
// unchanged, if any has more rows.
template <class Rows>
[[nodiscard]] bool drop_deleted_points(Match* found, std::size_t count, const Rows& rows,
                                       const RowBits& deleted) {
  if (std::any_of(found, found + count, [](const Match& match) { return match.size() > 1; }))
    return false;
  for (std::size_t i = 0; i < count; ++i)
    if (found[i].size() != 0) prefetch(deleted.address(rows[found[i].begin]));
  for (std::size_t i = 0; i < count; ++i)
    if (found[i].size() != 0 && deleted.has(rows[found[i].begin])) found[i].begin = found[i].end;
  return true;
}

// How many rows a block of lookups has to test or walk because some are deleted. Those of short
// matches are read anyway.
[[nodiscard]] inline std::uint64_t rows_to_walk(const Match* found, std::size_t count) {
  constexpr std::uint64_t short_match = 8;
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (found[i].size() > short_match) rows += found[i].size();
  return rows;
}

// Cuts the matches of a block of lookups and calls answer(valid) with AllValid or ValidMatches.
// `set` is what a structure of `size` positions has derived from its deleted rows, or null.
template <class Rows, class Answer>
void answer_valid(const RowBits& deleted, DeletedSet* set, std::size_t size, Match* found,
                  std::size_t count, const Rows& rows, Answer&& answer) {
  if (deleted.empty() || drop_deleted_points(found, count, rows, deleted))
    return answer(AllValid{});
  const DeletedPositions* const positions =
      set == nullptr ? nullptr : set->positions(rows_to_walk(found, count), size, rows, deleted);
  const ValidMatches valid = positions != nullptr ? ValidMatches(found, count, *positions)
                                                  : ValidMatches(found, count, rows, deleted);
  if (valid.all_valid()) return answer(AllValid{});
  answer(valid);
}

}  // namespace rtindex
