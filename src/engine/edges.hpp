#pragma once

#include <cstddef>
#include <cstdint>

#include "answers/deleted_sets.hpp"
#include "answers/matches.hpp"
#include "base/prefetch.hpp"
#include "keys/interval.hpp"
#include "order/key_order.hpp"
#include "rows/row_bits.hpp"

namespace rtindex {

// The valid position that is closest to an edge; the end of the match where there is none.
[[nodiscard]] inline std::uint64_t valid_edge(Edge edge, const Match& match,
                                              const DeletedBits& deleted) {
  return edge == Edge::first ? deleted.first_valid(match) : deleted.last_valid(match);
}
// Tests row by row: cheaper than DeletedPositions where few edges are deleted.
template <class Key>
[[nodiscard]] std::uint64_t valid_edge(const KeyOrder<Key>& order, Edge edge, const Match& match,
                                       const Interval& interval, const RowBits& deleted) {
  const PairRows<Key> in_order = order.rows();
  for (std::uint64_t i = 0; i < match.size(); ++i) {
    const std::uint64_t at = edge == Edge::first ? match.begin + i : match.end - 1 - i;
    if (!interval.contains(order.key(at))) break;
    if (!deleted.has(in_order[at])) return at;
  }
  return match.end;
}

// The valid row at the edge of each match and its key; miss_row if the key lies outside the
// interval.
template <class Key>
void find_edge_rows(const KeyOrder<Key>& order, Edge edge, const Interval* intervals,
                    const Match* found, std::size_t count, const RowBits& deleted, DeletedSet* set,
                    std::uint32_t* rows, std::uint64_t* keys) {
  constexpr std::uint64_t few_steps = 8;  // about as many as from a deleted edge to a valid row
  const PairRows<Key> in_order = order.rows();
  std::uint64_t at[chunk_lookups];
  std::size_t deleted_edges = 0;
  for (std::size_t i = 0; i < count; ++i) {
    at[i] = edge == Edge::first ? found[i].begin : found[i].end - 1;
    prefetch(in_order.address(found[i].size() == 0 ? 0 : at[i]));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_there =
        found[i].size() != 0 && intervals[i].contains(std::uint64_t{order.key(at[i])});
    rows[i] = is_there ? in_order[at[i]] : miss_row;
    keys[i] = is_there ? order.key(at[i]) : Key{0};
    if (is_there && deleted.has(rows[i])) ++deleted_edges;
  }
  if (deleted_edges == 0) return;
  const DeletedPositions* const positions =
      set == nullptr ? nullptr
                     : set->positions(deleted_edges * few_steps, order.size(), in_order, deleted);
  for (std::size_t i = 0; i < count; ++i) {
    if (rows[i] == miss_row || !deleted.has(rows[i])) continue;
    const std::uint64_t valid = positions != nullptr
                                    ? valid_edge(edge, found[i], positions->bits())
                                    : valid_edge(order, edge, found[i], intervals[i], deleted);
    const bool is_there = valid != found[i].end && intervals[i].contains(order.key(valid));
    rows[i] = is_there ? in_order[valid] : miss_row;
    keys[i] = is_there ? order.key(valid) : Key{0};
  }
}

}  // namespace rtindex
