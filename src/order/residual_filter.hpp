#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "answers/matches.hpp"
#include "base/prefetch.hpp"
#include "base/search.hpp"
#include "keys/lookup_batch.hpp"

namespace rtindex {

// With a lossy encoding (long strings, wide composites), rows of one encoded key are in the order
// of their full keys, and lookups search among them.

// Removes rows of other full keys from the matches of point lookups, which were found by encoded
// key. Searches are interleaved, each prefetching the memory of its next step.
template <class Rows>
class ResidualFilter {
 public:
  ResidualFilter(const LookupBatch& batch, const Rows& rows) : batch_(batch), rows_(rows) {}

  void filter(std::size_t first, std::size_t count, const std::uint8_t* checks,
              Match* found) const {
    for (std::size_t begin = 0; begin < count; begin += at_once)
      filter_some(first + begin, std::min(at_once, count - begin), checks + begin, found + begin);
  }

 private:
  static constexpr std::size_t at_once = 128;

  struct Search {
    std::size_t lookup;
    Match* found;
    Match left;
    std::uint32_t row;
    [[nodiscard]] std::uint64_t middle() const { return left.begin + left.size() / 2; }
  };

  void filter_some(std::size_t first, std::size_t count, const std::uint8_t* checks,
                   Match* found) const {
    Search searches[at_once];
    std::size_t all = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (checks[i] != check_none && found[i].size() != 0)
        searches[all++] = {first + i, &found[i], found[i], 0};
    if (all == 0) return;
    prefetch_rows(searches, all, [](const Search& search) { return search.middle(); });
    // Few encoded keys have several rows: for all others one comparison decides.
    std::size_t open = 0;
    for (std::size_t i = 0; i < all; ++i) {
      Search& search = searches[i];
      if (search.left.size() > 1)
        searches[open++] = search;
      else if (batch_.compare_with_point(search.lookup, search.row) != 0)
        search.found->end = search.found->begin;
    }
    if (open != 0) search_runs(searches, open);
  }

  // Finds the matching rows among several of one encoded key, by binary search.
  void search_runs(Search* searches, std::size_t all) const {
    std::size_t open = all;
    while (open != 0) {
      prefetch_rows(searches, open, [](const Search& search) { return search.middle(); });
      for (std::size_t i = open; i-- > 0;)
        if (is_over(searches[i])) std::swap(searches[i], searches[--open]);
    }
    prefetch_rows(searches, all, [](const Search& search) {
      return std::min(search.found->begin, search.found->end - 1);
    });
    for (std::size_t i = 0; i < all; ++i) {
      Match& match = *searches[i].found;
      match.end = near_partition_point(match.begin, match.end, [&](std::uint64_t at) {
        return batch_.compare_with_point(searches[i].lookup, rows_[at]) == 0;
      });
    }
  }

  // Reads the row at a position of each search, and prefetches its full key.
  template <class Position>
  void prefetch_rows(Search* searches, std::size_t count, Position&& position) const {
    const FullKeyComparer& comparer = *batch_.codec().comparer();
    for (std::size_t i = 0; i < count; ++i) prefetch(rows_.address(position(searches[i])));
    for (std::size_t i = 0; i < count; ++i) {
      searches[i].row = rows_[position(searches[i])];
      comparer.prefetch_residual(searches[i].row, 0);
    }
    for (std::size_t i = 0; i < count; ++i) comparer.prefetch_residual(searches[i].row, 1);
  }

  // One step towards the first row that is not less.
  [[nodiscard]] bool is_over(Search& search) const {
    if (batch_.compare_with_point(search.lookup, search.row) < 0)
      search.left.begin = search.middle() + 1;
    else
      search.left.end = search.middle();
    if (search.left.size() != 0) return false;
    search.found->begin = search.left.begin;
    return true;
  }

  const LookupBatch& batch_;
  const Rows& rows_;
};

}  // namespace rtindex
