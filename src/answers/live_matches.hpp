#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "answers/dead_positions.hpp"
#include "answers/dead_sets.hpp"
#include "answers/matches.hpp"
#include "answers/request.hpp"

namespace rtindex {

// Which rows of the matches of a block of lookups are dead. The matches are cut: each begins with a
// live row, or is empty.
class LiveMatches {
 public:
  // Tests each row.
  template <class Rows>
  LiveMatches(Match* found, std::size_t count, const Rows& rows, const RowBits& dead) {
    std::uint64_t words = 0;
    std::uint64_t matching = 0;
    for (std::size_t i = 0; i < count; ++i) {
      words += DeadBits::words_of(found[i].size());
      matching += found[i].size();
    }
    words_.resize(words);
    if (matching <= few_rows) {
      for (std::size_t i = 0; i < count; ++i)
        for (std::uint64_t at = found[i].begin; at < found[i].end; ++at)
          prefetch(dead.address(rows[at]));
      struct {
        void next() const {}
      } prefetched;
      test(found, count, rows, dead, prefetched);
      return;
    }
    Match buffer[chunk_lookups];
    const Match* const others = matches::without_long(found, count, buffer);
    matches::Prefetcher prefetcher([&](std::uint32_t row) { return dead.address(row); }, rows,
                                   others, count);
    test(found, count, rows, dead, prefetcher);
  }

  // Reads what is there already.
  LiveMatches(Match* found, std::size_t count, const DeadPositions& positions)
      : positions_(&positions), all_live_(false) {
    for (std::size_t i = 0; i < count; ++i) positions.prefetch(found[i]);
    for (std::size_t i = 0; i < count; ++i) {
      dead_[i] = positions.bits();
      found[i].begin = dead_[i].first_live(found[i]);
    }
  }

  // Whether it is known that no dead row is left.
  [[nodiscard]] bool all_live() const { return all_live_; }
  // See AllLive.
  [[nodiscard]] const DeadBits& dead(std::size_t i) const { return dead_[i]; }
  [[nodiscard]] std::uint64_t count(std::size_t i, const Match& match) const {
    return match.size() -
           (positions_ != nullptr ? positions_->count(match) : dead_[i].count(match));
  }

  // The dead rows of the whole structure, where they are known.
  [[nodiscard]] const DeadPositions* positions() const { return positions_; }

 private:
  // So few can be prefetched at once.
  static constexpr std::uint64_t few_rows = 8 * chunk_lookups;

  template <class Rows, class Prefetcher>
  void test(Match* found, std::size_t count, const Rows& rows, const RowBits& dead,
            Prefetcher& prefetcher) {
    std::uint64_t* next = words_.data();
    for (std::size_t i = 0; i < count; ++i) {
      dead_[i] = {next, found[i].begin};
      std::uint64_t* const words = std::exchange(next, next + DeadBits::words_of(found[i].size()));
      if (matches::is_long(found[i]))
        mark_dead(found[i], rows, dead, words);
      else if (!mark_dead(found[i], rows, dead, prefetcher, words))
        continue;
      found[i].begin = dead_[i].first_live(found[i]);
      all_live_ = all_live_ && dead_[i].count(found[i]) == 0;
    }
  }

  const DeadPositions* positions_ = nullptr;
  std::vector<std::uint64_t> words_;  // of all matches, where they were tested
  DeadBits dead_[chunk_lookups];
  bool all_live_ = true;
};

// The same for matches of at most one row, as most points have: true where all are such, and those
// of dead rows are empty now.
template <class Rows>
[[nodiscard]] bool drop_dead_points(Match* found, std::size_t count, const Rows& rows,
                                    const RowBits& dead) {
  if (std::any_of(found, found + count, [](const Match& match) { return match.size() > 1; }))
    return false;
  for (std::size_t i = 0; i < count; ++i)
    if (found[i].size() != 0) prefetch(dead.address(rows[found[i].begin]));
  for (std::size_t i = 0; i < count; ++i)
    if (found[i].size() != 0 && dead.has(rows[found[i].begin])) found[i].begin = found[i].end;
  return true;
}

// How many rows a block of lookups has to test or walk because some are dead. Those of short
// matches are read anyway.
[[nodiscard]] inline std::uint64_t rows_to_walk(const Match* found, std::size_t count) {
  constexpr std::uint64_t short_match = 8;
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (found[i].size() > short_match) rows += found[i].size();
  return rows;
}

// Cuts the matches of a block of lookups and calls answer(live) with AllLive or LiveMatches. `set`
// is what a structure of `size` positions has derived from its dead rows, or null.
template <class Rows, class Answer>
void answer_live(const RowBits& dead, DeadSet* set, std::size_t size, Match* found,
                 std::size_t count, const Rows& rows, Answer&& answer) {
  if (dead.empty() || drop_dead_points(found, count, rows, dead)) return answer(AllLive{});
  const DeadPositions* const positions =
      set == nullptr ? nullptr : set->positions(rows_to_walk(found, count), size, rows, dead);
  const LiveMatches live = positions != nullptr ? LiveMatches(found, count, *positions)
                                                : LiveMatches(found, count, rows, dead);
  if (live.all_live()) return answer(AllLive{});
  answer(live);
}

}  // namespace rtindex
