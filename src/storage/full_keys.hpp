#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "answers/matches.hpp"
#include "base/prefetch.hpp"
#include "keys/lookup_batch.hpp"
#include "storage/pairs.hpp"

namespace rtindex {

// Where encoded keys are not the whole truth (long strings, wide composites), rows of one encoded
// key stand in the order of their full keys, and the rows that match are searched among them.

// Runs of equal encoded keys get the order of their full keys, then of their rows.
template <class Key>
void order_by_full_key(Pair<Key>* pairs, std::size_t size, const KeyCodec& codec);

// The first position in [begin, end) for which `is_before` is false.
template <class IsBefore>
[[nodiscard]] std::uint64_t partition_point(std::uint64_t begin, std::uint64_t end,
                                            IsBefore&& is_before) {
  while (begin < end) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    if (is_before(middle))
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

// The same where it is likely to be near the begin.
template <class IsBefore>
[[nodiscard]] std::uint64_t near_partition_point(std::uint64_t begin, std::uint64_t end,
                                                 IsBefore&& is_before) {
  const std::uint64_t start = begin;
  while (begin < end) {
    const std::uint64_t step = std::max<std::uint64_t>(begin - start, 1);
    const std::uint64_t last = std::min(begin + step, end) - 1;
    if (!is_before(last)) return partition_point(begin, last, is_before);
    begin = last + 1;
  }
  return end;
}

// Point lookups [first, first + count) were found by encoded key; their matches lose the rows of
// other full keys. Many searches go on in turn, each asking for the memory of its next step.
template <class Rows>
class PointNarrower {
 public:
  PointNarrower(const LookupBatch& batch, const Rows& rows) : batch_(batch), rows_(rows) {}

  void narrow(std::size_t first, std::size_t count, const std::uint8_t* checks,
              Match* found) const {
    for (std::size_t begin = 0; begin < count; begin += at_once)
      narrow_some(first + begin, std::min(at_once, count - begin), checks + begin, found + begin);
  }

 private:
  static constexpr std::size_t at_once = 32;

  struct Search {
    std::size_t lookup;
    Match* found;
    Match left;
    std::uint32_t row;
    [[nodiscard]] std::uint64_t middle() const { return left.begin + left.size() / 2; }
  };

  void narrow_some(std::size_t first, std::size_t count, const std::uint8_t* checks,
                   Match* found) const {
    Search searches[at_once];
    std::size_t open = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (checks[i] != check_none && found[i].size() != 0)
        searches[open++] = {first + i, &found[i], found[i], 0};
    const std::size_t all = open;
    while (open != 0) {
      ask(searches, open, [](const Search& search) { return search.middle(); });
      for (std::size_t i = open; i-- > 0;)
        if (is_over(searches[i])) std::swap(searches[i], searches[--open]);
    }
    ask(searches, all,
        [](const Search& search) { return std::min(search.found->begin, search.found->end - 1); });
    for (std::size_t i = 0; i < all; ++i) {
      Match& match = *searches[i].found;
      match.end = near_partition_point(match.begin, match.end, [&](std::uint64_t at) {
        return batch_.compare_with_lower(searches[i].lookup, rows_[at]) == 0;
      });
    }
  }

  // The row at a place of each search, and what its full key takes.
  template <class Place>
  void ask(Search* searches, std::size_t count, Place&& place) const {
    for (std::size_t i = 0; i < count; ++i) prefetch(rows_.address(place(searches[i])));
    for (std::size_t i = 0; i < count; ++i) {
      searches[i].row = rows_[place(searches[i])];
      batch_.codec().prefetch_residual(searches[i].row, 0);
    }
    for (std::size_t i = 0; i < count; ++i) batch_.codec().prefetch_residual(searches[i].row, 1);
  }

  // One step towards the first row that is not less.
  [[nodiscard]] bool is_over(Search& search) const {
    if (batch_.compare_with_lower(search.lookup, search.row) < 0)
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
