#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
    std::size_t words = 0;
    for (std::size_t i = 0; i < count; ++i) words += DeadBits::words_of(found[i].size());
    words_.resize(words);
    Match buffer[chunk_lookups];
    const Match* const others = matches::without_long(found, count, buffer);
    matches::Prefetcher prefetcher([&](std::uint32_t row) { return dead.address(row); }, rows,
                                   others, count);
    std::uint64_t* next = words_.data();
    for (std::size_t i = 0; i < count; ++i) {
      if (matches::is_long(found[i]))
        mark_dead(found[i], rows, dead, next);
      else
        mark_dead(found[i], rows, dead, prefetcher, next);
      dead_[i] = {next, found[i].begin};
      next += DeadBits::words_of(found[i].size());
      cut(found[i], i, dead_[i]);
    }
  }

  // Reads what is there already.
  LiveMatches(Match* found, std::size_t count, const DeadPositions& positions)
      : positions_(&positions) {
    for (std::size_t i = 0; i < count; ++i) positions.prefetch(found[i]);
    for (std::size_t i = 0; i < count; ++i) {
      dead_[i] = positions.bits();
      cut(found[i], i, positions);
    }
  }

  // Whether no dead row is left.
  [[nodiscard]] bool all_live() const { return all_live_; }
  // See AllLive.
  [[nodiscard]] const DeadBits& dead(std::size_t i) const { return dead_[i]; }
  [[nodiscard]] std::uint64_t count(std::size_t i, const Match&) const { return live_[i]; }

  // The dead rows of the whole structure, where they are known.
  [[nodiscard]] const DeadPositions* positions() const { return positions_; }

 private:
  template <class Counter>
  void cut(Match& match, std::size_t i, const Counter& counter) {
    match.begin = dead_[i].first_live(match);
    // Its first row is live.
    const std::uint64_t dead = match.size() <= 1 ? 0 : counter.count(match);
    live_[i] = match.size() - dead;
    all_live_ = all_live_ && dead == 0;
  }

  const DeadPositions* positions_ = nullptr;
  std::vector<std::uint64_t> words_;  // of all matches, where they were tested
  DeadBits dead_[chunk_lookups];
  std::uint64_t live_[chunk_lookups];
  bool all_live_ = true;
};

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
  if (dead.empty()) return answer(AllLive{});
  const DeadPositions* const positions =
      set == nullptr ? nullptr : set->positions(rows_to_walk(found, count), size, rows, dead);
  const LiveMatches live = positions != nullptr ? LiveMatches(found, count, *positions)
                                                : LiveMatches(found, count, rows, dead);
  if (live.all_live()) return answer(AllLive{});
  answer(live);
}

}  // namespace rtindex
