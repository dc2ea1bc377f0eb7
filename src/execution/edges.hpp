#pragma once

#include <cstddef>
#include <cstdint>

#include "answers/dead_sets.hpp"
#include "answers/matches.hpp"
#include "answers/row_bits.hpp"
#include "base/prefetch.hpp"
#include "keys/interval.hpp"
#include "storage/key_order.hpp"

namespace rtindex {

// The live position that is closest to an edge; the end of the match where there is none.
[[nodiscard]] inline std::uint64_t live_edge(Edge edge, const Match& match, const DeadBits& dead) {
  return edge == Edge::first ? dead.first_live(match) : dead.last_live(match);
}
// The same by testing each row.
template <class Key>
[[nodiscard]] std::uint64_t live_edge(const KeyOrder<Key>& order, Edge edge, const Match& match,
                                      const Interval& interval, const RowBits& dead) {
  const PairRows<Key> in_order = order.rows();
  for (std::uint64_t i = 0; i < match.size(); ++i) {
    const std::uint64_t at = edge == Edge::first ? match.begin + i : match.end - 1 - i;
    if (!interval.contains(order.key(at))) break;
    if (!dead.has(in_order[at])) return at;
  }
  return match.end;
}

// The row at the edge of each match; it is the lookup's if its key lies in the interval.
template <class Key>
void take_edges(const KeyOrder<Key>& order, Edge edge, const Interval* intervals,
                const Match* found, std::size_t count, const RowBits& dead, DeadSet* set,
                std::uint32_t* rows, std::uint64_t* keys) {
  constexpr std::uint64_t few_steps = 8;  // from a dead edge to a live one, about
  const PairRows<Key> in_order = order.rows();
  std::uint64_t at[chunk_lookups];
  std::size_t dead_edges = 0;
  for (std::size_t i = 0; i < count; ++i) {
    at[i] = edge == Edge::first ? found[i].begin : found[i].end - 1;
    prefetch(in_order.address(found[i].size() == 0 ? 0 : at[i]));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_there =
        found[i].size() != 0 && intervals[i].contains(std::uint64_t{order.key(at[i])});
    rows[i] = is_there ? in_order[at[i]] : miss_row;
    keys[i] = is_there ? order.key(at[i]) : Key{0};
    if (is_there && dead.has(rows[i])) ++dead_edges;
  }
  if (dead_edges == 0) return;
  const DeadPositions* const positions =
      set == nullptr ? nullptr
                     : set->positions(dead_edges * few_steps, order.size(), in_order, dead);
  for (std::size_t i = 0; i < count; ++i) {
    if (rows[i] == miss_row || !dead.has(rows[i])) continue;
    const std::uint64_t live = positions != nullptr
                                   ? live_edge(edge, found[i], positions->bits())
                                   : live_edge(order, edge, found[i], intervals[i], dead);
    const bool is_there = live != found[i].end && intervals[i].contains(order.key(live));
    rows[i] = is_there ? in_order[live] : miss_row;
    keys[i] = is_there ? order.key(live) : Key{0};
  }
}

}  // namespace rtindex
