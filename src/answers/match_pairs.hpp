#pragma once

#include <cstddef>
#include <cstdint>

#include "answers/matches.hpp"
#include "answers/pair_sink.hpp"
#include "answers/request.hpp"
#include "base/parallel.hpp"

namespace rtindex {

// Appends the valid rows of matches to the request's pairs, and sets their lookups in its bitmap of
// matched lookups, while other threads do the same. Match i is that of lookup lookup_of(i).
template <class Rows, class Valid, class LookupOf>
void append_pairs(const Request& request, const Match* found, std::size_t count, const Rows& rows,
                  const Valid& valid, const LookupOf& lookup_of) {
  const auto append = [&](PairBuffer& to, std::size_t i, const Match& match) {
    const std::uint64_t lookup = lookup_of(i);
    valid.deleted(i).visit_all(match, [&](std::uint64_t at, bool is_deleted) {
      if (!is_deleted) to.add(lookup, rows[at]);
    });
  };
  matches::prefetch_rows(rows, found, count);
  PairBuffer pairs(*request.pairs);
  for (std::size_t i = 0; i < count; ++i) {
    const Match match = found[i];
    if (!matches::is_long(match)) {
      append(pairs, i, match);
      continue;
    }
    parallel_for(match.size(), matches::piece_rows, [&](std::size_t begin, std::size_t size) {
      PairBuffer piece(*request.pairs);
      append(piece, i, {match.begin + begin, match.begin + begin + size});
      piece.flush();
    });
  }
  pairs.flush();
  std::uint8_t* const matched = request.outputs.matched;
  for (std::size_t i = 0; matched != nullptr && i < count; ++i)
    if (found[i].size() != 0) set_matched_shared(matched, lookup_of(i));
}

}  // namespace rtindex
